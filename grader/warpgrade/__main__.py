"""python -m warpgrade"""

import gc

# Records form no cycles, so that collecting them as often as Python does by itself finds nothing and takes a
# twentieth of a command's time.
gc.set_threshold(50_000, 20, 50)

from .cli.main import main  # noqa: E402

if __name__ == "__main__":
    main()
