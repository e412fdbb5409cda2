#include "findings/format_text.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include "symbols/kernel_names.hpp"

namespace warpgrade::emulator {
namespace {

struct Colours {
  const char *strong, *error, *warning, *frame, *off;
};
constexpr Colours kPlain{"", "", "", "", ""};
constexpr Colours kColoured{"\033[1m", "\033[1;31m", "\033[1;35m", "\033[36m", "\033[0m"};

std::string who(const Site& site) {
  if (site.by_host) return site.access;
  const std::string where = "thread " + to_text(site.thread) + " of block " + to_text(site.block);
  return site.access.empty() ? where : site.access + " by " + where;
}

std::string place(const Site& site) {
  if (site.file.empty()) return "(no line information: compile with -lineinfo)";
  std::string out = site.file + ":" + std::to_string(site.line);
  if (site.column > 0) out.append(":").append(std::to_string(site.column));
  if (!site.inlined_at.empty()) out += ", inlined at " + site.inlined_at;
  return out;
}

class Writer {
 public:
  Writer(const Colours& colours, int digits) : c_(colours), margin_(static_cast<std::size_t>(digits), ' ') {}

  void site(const char* arrow, const Site& at, const std::string& label) {
    out += margin_ + c_.frame + arrow + c_.off + " " + place(at) + "\n";
    if (!at.source.empty()) {
      const std::string number = std::to_string(at.line);
      out += margin_ + c_.frame + " |" + c_.off + "\n";
      out += c_.frame + std::string(margin_.size() - std::min(margin_.size(), number.size()), ' ') + number +
             " |" + c_.off + " " + at.source + "\n";
    }
    const std::size_t indent =
        at.source.empty() || at.column < 1 ? 0 : static_cast<std::size_t>(at.column) - 1;
    out += margin_ + c_.frame + " |" + c_.off + " " + blank(at.source, indent) + c_.strong + "^ " + label +
           c_.off + "\n";
  }
  void note(const char* what, const std::string& text) {
    out += margin_ + c_.frame + " = " + c_.off + c_.strong + what + ":" + c_.off + " " + text + "\n";
  }

  std::string out;

 private:
  // White space as wide as the source up to the column; tabs are kept, so that the mark stands under the
  // column.
  static std::string blank(const std::string& source, std::size_t columns) {
    std::string space(columns, ' ');
    for (std::size_t i = 0; i < columns && i < source.size(); ++i)
      if (source[i] == '\t') space[i] = '\t';
    return space;
  }

  const Colours& c_;
  std::string margin_;
};

std::string describe(const Memory& at) {
  char address[24];
  std::snprintf(address, sizeof address, "0x%" PRIx64, at.address);
  std::string out = at.space + " address " + address;
  if (at.bytes != 0) out += ", " + std::to_string(at.bytes) + " bytes";
  if (at.allocation.empty()) return out;
  std::string named = at.allocation + " (" + std::to_string(at.allocation_bytes) + " bytes)";
  if (!at.made_at.empty()) named += ", made at " + at.made_at;
  const auto far = static_cast<std::uint64_t>(at.distance < 0 ? -at.distance : at.distance);
  if (at.relation == Placement::inside) return out + ", at byte " + std::to_string(far) + " of " + named;
  const char* side =
      at.relation == Placement::before ? " bytes before the start of " : " bytes past the end of ";
  return out + ", " + std::to_string(far) + side + named;
}

int digits(const Finding& finding) {
  int line = std::max(finding.site.line, finding.has_other ? finding.other.line : 0);
  for (const ThreadPosition& each : finding.standing) line = std::max(line, each.site.line);
  return static_cast<int>(std::to_string(line).size());
}

}  // namespace

std::string to_text(const Finding& finding, const std::string& kernel, bool colour) {
  const Colours& c = colour ? kColoured : kPlain;
  const std::string severe = severity(finding.kind);
  Writer writer(c, digits(finding));
  writer.out = (severe == "error" ? c.error : c.warning) + severe + "[" + code(finding.kind) + "]" + c.off +
               c.strong + ": " + finding.message + c.off + "\n";
  const auto is_shown = [](const Site& site) { return !site.by_host || site.line > 0; };
  if (finding.on_device || (finding.site.by_host && is_shown(finding.site)))
    writer.site("-->", finding.site, who(finding.site));
  if (finding.has_other && is_shown(finding.other)) writer.site(":::", finding.other, who(finding.other));
  if (!finding.memory.space.empty()) writer.note("memory", describe(finding.memory));
  for (const ThreadPosition& each : finding.standing) {
    char lanes[16];
    std::snprintf(lanes, sizeof lanes, "0x%08x", each.lanes);
    writer.note("warp",
                std::to_string(each.warp) + " lanes " + lanes + " " + each.state + " at " + place(each.site));
  }
  if (!kernel.empty()) writer.note("kernel", names_of_kernel(kernel).plain);
  if (finding.times > 1) writer.note("seen", std::to_string(finding.times) + " times");
  writer.note("help", help(finding.kind));
  return writer.out;
}

}  // namespace warpgrade::emulator
