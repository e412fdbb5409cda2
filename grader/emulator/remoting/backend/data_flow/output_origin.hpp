// Whether the program's output came from the device: bytes that the program copied from there or found in
// memory that both share, and that kernels have computed, not the program from its inputs.
//
// A kernel that only decodes what the host has computed counts as well; the twin (twin.hpp) finds it.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "remoting/backend/data_flow/array_variants.hpp"
#include "remoting/backend/data_flow/element_index.hpp"

namespace warpgrade::remoting {

class OutputOrigin {
 public:
  const std::vector<std::string>& inputs() const { return inputs_; }
  void input(std::string bytes) { inputs_.push_back(std::move(bytes)); }  // a file that the program reads
  // Bytes that the program has sent to the device; pieces for adjacent places are joined.
  void sent(std::string_view bytes, std::uint64_t to = 0);
  void sent_argument(const void* kernel, std::size_t index, std::string_view value);
  // Bytes that came from the device: rows of its memory, packed. Adjacent pieces are joined. `of_twin`: what
  // the twin has in their place.
  void came(std::string_view bytes, const void* from, std::size_t width, std::size_t pitch,
            std::string_view of_twin = {});
  void came(std::string_view bytes, const void* from, std::string_view of_twin = {}) {
    came(bytes, from, bytes.size(), bytes.size(), of_twin);
  }
  // Whether each piece of an output came from the device: unchanged, converted, or element by element at
  // equal distances. `of_twin` is set to what the twin has in their place.
  bool is_from_device(std::string_view bytes, const ArrayForm& form, std::string* of_twin = nullptr);

 private:
  struct Range {
    std::size_t begin, end;
  };
  struct CopiedBack {
    std::string bytes, of_twin;
    std::vector<Range> plain;  // which no kernel has computed
  };
  struct OutputPiece {
    const CopiedBack* in = nullptr;
    std::size_t at = 0, size = 0;
  };
  // The search for an output in what came back, and then in variants of that.
  struct Search {
    std::string_view bytes;
    const ArrayForm& form;
    std::string of_twin;
    std::vector<bool> in_a_run;  // bytes that runs with gaps have explained
    std::deque<CopiedBack> converted;
    std::vector<std::pair<const CopiedBack*, ElementIndex>> indexes;
    bool has_variants = false;
  };
  bool have_room(std::string_view bytes);
  void convert_sent(const std::string& to);
  OutputPiece longest_piece(const Search& search, std::string_view wanted) const;
  std::size_t take_run(Search& search, std::size_t at) const;
  bool is_computed(const CopiedBack& in, const ElementRun& run, std::size_t element) const;
  void add_variants(Search& search) const;
  OutputPiece longest_in(const CopiedBack& came, std::string_view wanted) const;
  std::size_t computed_part(const CopiedBack& piece, std::size_t at, std::size_t size) const;
  std::size_t given_part(std::string_view bytes) const;
  bool is_of_host(std::string_view bytes) const;
  bool was_sent(std::string_view bytes) const;

  std::vector<std::string> inputs_, sent_;
  std::vector<std::string> sent_converted_;  // to the type of the output that is looked for
  std::map<std::pair<const void*, std::size_t>, std::string> arguments_;  // of all launches, by parameter
  std::vector<CopiedBack> came_;
  std::uint64_t sent_end_ = 0;      // of the last piece, at the device
  const void* came_end_ = nullptr;  // the same of the last one that came
  std::uint64_t kept_ = 0;          // bytes of all
  bool has_lost_sent_ = false;      // the program has sent more than is kept
};

}  // namespace warpgrade::remoting
