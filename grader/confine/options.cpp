#include "options.hpp"

#include <charconv>
#include <string_view>

#include "error.hpp"

namespace warpgrade::confine {
namespace {

template <class Number>
Number number(std::string_view name, std::string_view text) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw Failure(std::string(name) + ": '" + std::string(text) + "' is not a number");
  return value;
}

}  // namespace

Options parse(int argc, char** argv) {
  Options options;
  int at = 1;
  for (; at < argc && std::string_view(argv[at]) != "--"; ++at) {
    const std::string_view word = argv[at];
    const std::size_t sign = word.find('=');
    const std::string_view name = word.substr(0, sign);
    const std::string value(sign == word.npos ? std::string_view() : word.substr(sign + 1));
    if (name == "--no-landlock" && sign == word.npos)
      options.landlock = false;
    else if (name == "--traverse" && sign == word.npos)
      options.traverse = true;
    else if (value.empty())
      throw Failure("'" + std::string(word) + "' is not an option with a value");
    else if (name == "--work")
      options.work = value;
    else if (name == "--read")
      options.readable.push_back(value);
    else if (name == "--write")
      options.writable.push_back(value);
    else if (name == "--device")
      options.devices.push_back(value);
    else if (name == "--user")
      options.user = number<uid_t>(name, value);
    else if (name == "--parent")
      options.parent = number<pid_t>(name, value);
    else
      throw Failure("unknown option " + std::string(name));
  }
  for (++at; at < argc; ++at) options.command.emplace_back(argv[at]);
  if (options.work.empty() || options.command.empty())
    throw Failure(
        "usage: confine --work=FOLDER [--read=PATH]... [--write=PATH]... [--device=PATH]... "
        "[--user=NUMBER [--traverse]] [--parent=NUMBER] [--no-landlock] -- COMMAND...");
  return options;
}

}  // namespace warpgrade::confine
