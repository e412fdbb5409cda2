"""What every package uses: errors, paths, JSON, atomic files, scratch folders, TOML with lines, messages."""
