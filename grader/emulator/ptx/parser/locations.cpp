#include "ptx/parser/locations.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "ptx/parser/constant.hpp"

namespace warpgrade::ptx {
namespace {

constexpr std::uint64_t kMaxInt = std::numeric_limits<int>::max();

// A line or a column. A #line directive may say any number: beyond the last one that fits, all are the same.
int place_number(Cursor& cursor, const char* what) {
  return static_cast<int>(std::min(cursor.number(what, std::numeric_limits<std::uint64_t>::max()), kMaxInt));
}

}  // namespace

std::size_t Locations::LocationHash::operator()(const Key& key) const {
  std::size_t hash = std::hash<std::string_view>{}(key.label);
  for (const int part : {key.file, key.line, key.column, key.inlined_at})
    hash = hash * 1000003 + static_cast<unsigned>(part);
  return hash;
}

// `.file 1 "kernel.cu"`, also with `, timestamp, size`.
void Locations::parse_file(Cursor& cursor) {
  const int index = static_cast<int>(cursor.number("a file's number", kMaxInt));
  module_.files[index] = std::string(cursor.string("a file's name"));
  while (cursor.accept(',')) cursor.number("a time stamp or size", std::numeric_limits<std::uint64_t>::max());
}

Locations::FileLine Locations::parse_place(Cursor& cursor) {
  const int file = static_cast<int>(cursor.number("a file's number", kMaxInt));
  const int line = place_number(cursor, "a line"), column = place_number(cursor, "a column");
  return {file, line, column};
}

std::int32_t Locations::add(const Key& key) {
  const auto [found, fresh] = known_.emplace(key, static_cast<std::int32_t>(module_.locations.size()));
  if (fresh)
    module_.locations.push_back({key.file, key.line, key.column, key.inlined_at, std::string(key.label)});
  latest_[{key.file, key.line, key.column, -1, {}}] = found->second;
  return found->second;
}

// `.loc 2 549 1, function_name $L__info_string0+4, inlined_at 1 24 2`
std::int32_t Locations::parse_location(Cursor& cursor) {
  const FileLine place = parse_place(cursor);
  Key key{place.file, place.line, place.column, -1, {}};
  while (cursor.accept(',')) {
    const std::string_view what = cursor.word("function_name or inlined_at");
    if (what == "function_name") {
      key.label = cursor.word("the label of a function's name");
      if (cursor.at('+')) parse_offset(cursor);
    } else if (what == "inlined_at") {
      const FileLine site = parse_place(cursor);
      const Key site_key{site.file, site.line, site.column, -1, {}};
      const auto known = latest_.find(site_key);
      key.inlined_at = known != latest_.end() ? known->second : add(site_key);
    } else {
      cursor.fail("a .loc directive has function_name and inlined_at, nothing else");
    }
  }
  return add(key);
}

void Locations::name_label(std::string_view label, std::string text) { names_[label] = std::move(text); }

void Locations::resolve_names() {
  for (Location& location : module_.locations) {
    if (location.function.empty()) continue;
    const auto found = names_.find(location.function);
    location.function = found != names_.end() ? found->second : std::string();
  }
}

}  // namespace warpgrade::ptx
