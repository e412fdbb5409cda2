// The standard headers that most of our C++ uses, for make to precompile (Makefile, PRECOMPILED). No file may
// lean on it: each includes what it uses, and `make PRECOMPILED= test` builds without it. What few files use
// is not here: all would load it.
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>
