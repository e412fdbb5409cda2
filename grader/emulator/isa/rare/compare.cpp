// Rows of set, and of setp with a second predicate.
#include "isa/rare/compare.hpp"

namespace warpgrade::isa::rare {
namespace {

constexpr std::uint32_t kAllOnes = 0xffffffff, kOne = 0x3f800000;  // true as an integer, and as a float

#define SETP_ROW(relation, functor, modifiers, how, type)                                            \
  make_row("setp." #relation modifiers #type, &setp<functor, type, How::how>, CounterClass::compare, \
           "9.7.6.2", SetpSignature<type, How::how>{}),
#define SET_ROW(relation, functor, modifiers, how, to, yes, type)                                       \
  make_row("set." #relation modifiers #to "." #type, &set<functor, type, How::how, std::uint32_t, yes>, \
           CounterClass::compare, "9.7.6.1", SetSignature<to, type, How::how>{}),
#define SET_ROWS(relation, functor, modifiers, how, type)         \
  SET_ROW(relation, functor, modifiers, how, u32, kAllOnes, type) \
  SET_ROW(relation, functor, modifiers, how, s32, kAllOnes, type) \
  SET_ROW(relation, functor, modifiers, how, f32, kOne, type)
#define COMBINED(relation, functor, modifiers, how, type) \
  SETP_ROW(relation, functor, modifiers, how, type)       \
  SET_ROWS(relation, functor, modifiers, how, type)
#define COMPARE(relation, functor, type)               \
  SET_ROWS(relation, functor, ".", alone, type)        \
  COMBINED(relation, functor, ".and.", with_and, type) \
  COMBINED(relation, functor, ".or.", with_or, type)   \
  COMBINED(relation, functor, ".xor.", with_xor, type)
#define COMPARE_FLUSHED(relation, functor, type)                    \
  SET_ROWS(relation, Flushed<functor>, ".ftz.", alone, type)        \
  COMBINED(relation, Flushed<functor>, ".and.ftz.", with_and, type) \
  COMBINED(relation, Flushed<functor>, ".or.ftz.", with_or, type)   \
  COMBINED(relation, Flushed<functor>, ".xor.ftz.", with_xor, type)

constexpr Operation kRows[] = {
#include "isa/rows/compare.def"
};

}  // namespace
WARPGRADE_DEFINE_ROWS(compare_rows, kRows);
}  // namespace warpgrade::isa::rare
