// Patterns in the places of the wrong elements, by the rank of the array.
#pragma once
#include "patterns/pattern.hpp"

namespace warpgrade::harness {

constexpr std::size_t enough = 3;                    // fewer wrong elements may form a pattern by chance
constexpr const char* kDiagonal = "diagonal-tiles";  // name of a pattern of whole tiles
constexpr std::size_t nearly = 16;                   // one in 16 elements of a pattern may be right by chance

// Wrong elements only in blocks that reach over the border of the array.
std::optional<Pattern> at_border(const WrongResult& wrong);
std::optional<Pattern> at_border_1d(const WrongResult& wrong);
std::optional<Pattern> at_border_2d(const WrongResult& wrong);

// Rank 1: the last elements, at most half of them. The words go on from what is said of their values.
std::optional<Pattern> last_left_out(const WrongResult& wrong);
// The pattern of a list whose last element alone was never written.
std::optional<Pattern> last_unwritten(const WrongResult& wrong);

// Rank 2 and more: all elements so near to an end of a dimension are wrong, and all others right.
std::optional<Pattern> at_edge(const WrongResult& wrong);

// A square matrix of which the diagonal alone is right.
std::optional<Pattern> beside_diagonal(const WrongResult& wrong);

// Other regular places. Precondition: some elements are right.
std::optional<Pattern> in_places_1d(const WrongResult& wrong);
std::optional<Pattern> in_places_2d(const WrongResult& wrong);

// Rank 2 and more: the wrong elements fill rows, planes or parts of vectors, of which one element in sixteen
// may be right by chance; one in four where all these are a small part of the array.
std::optional<Pattern> in_slices(const WrongResult& wrong);

// The indices of the set bits: "1, 3–5". Of many groups the first ones, and how many indices there are.
std::string index_list(const std::vector<bool>& in);

}  // namespace warpgrade::harness
