// Lab 16, the host half: the arrays of a case. The program that reads and writes them is yours.
#include "comparison/hypotheses.hpp"
#include "lab.hpp"

using namespace warpgrade::harness;

// A film, and how far each pixel moved since the frame before. Nothing has moved in the first frame.
static void make(Dataset& data) {
  const auto frames = data["frames"], pixels = data["pixels"];
  const auto film = data.input<std::int32_t>("film", {frames, pixels});
  auto moved = data.output<std::int32_t>("moved", {frames, pixels});
  for (std::int64_t frame = 0; frame < frames; ++frame)
    for (std::int64_t pixel = 0; pixel < pixels; ++pixel) {
      const std::int64_t now = film(frame, pixel).integer();
      const std::int64_t before = frame == 0 ? now : film(frame - 1, pixel).integer();
      moved(frame, pixel) = now > before ? now - before : before - now;
    }
}

// The largest ring that is thought of, and how far back a frame is looked for that is not the one before.
constexpr std::int64_t MOST_SLOTS = 8;

// The mistakes that take another frame for the one before. `film(f, p)`: a pixel of the film, whose frames go
// on as the first one does before it, and as the last one does behind it.
template <class Film>
static std::vector<Hypothesis> mistakes_in_frames(const WrongResult& q, Film film) {
  const std::int64_t pixels = q.data["pixels"], frames = q.data["frames"];
  const auto frame = [=](std::size_t i) { return static_cast<std::int64_t>(i) / pixels; };
  const auto pixel = [=](std::size_t i) { return static_cast<std::int64_t>(i) % pixels; };
  const auto rest = [&](std::size_t i) { return q.result.at(i).value; };  // left to chance
  std::vector<Hypothesis> found = {
      {"difference-from-the-first", "is how far the pixel moved since frame 0, not since the frame before",
       [=](std::size_t i) { return std::fabs(film(frame(i), pixel(i)) - film(0, pixel(i))); }},
      {"difference-from-the-next",
       "is how far the pixel moves until the next frame, not since the one before",
       [=](std::size_t i) {
         const std::int64_t f = frame(i);
         return f + 1 < frames ? std::fabs(film(f + 1, pixel(i)) - film(f, pixel(i))) : rest(i);
       }},
      {"first-frame-moved", "is how far frame 0 is from 0: nothing moves there; compare it with itself",
       [=](std::size_t i) {
         return frame(i) == 0 ? film(0, pixel(i))
                              : std::fabs(film(frame(i), pixel(i)) - film(frame(i) - 1, pixel(i)));
       }},
      {"squared",
       "is the square of how far the pixel moved: the distance is asked for, abs() of the difference",
       [=](std::size_t i) {
         const std::int64_t f = frame(i), before = std::max<std::int64_t>(f - 1, 0);
         const auto distance = static_cast<std::int64_t>(film(f, pixel(i)) - film(before, pixel(i)));
         return static_cast<double>(static_cast<std::int32_t>(distance * distance));  // as an int overflows
       }},
      {"not-subtracted", "is the frame itself: the one before is to be subtracted from it",
       [=](std::size_t i) { return film(frame(i), pixel(i)); }}};
  // Frame f is taken from number f of the film on, and its result goes to number f on: the last one stays.
  const double last = q.result.at(q.result.count() - 1).value;
  found.push_back({"first-result-overwritten",
                   "comes out if all results go to frame 0 of `moved`: that of frame f begins at f * pixels",
                   [=](std::size_t i) {
                     return frame(i) > 0 ? last  // as it was before
                                         : std::fabs(film(frames - 1, pixel(i)) - film(frames - 2, pixel(i)));
                   }});
  found.push_back(
      {"begin-without-pixels",
       "comes out if frame f begins at number f of the film, and its result there, too: both begin at "
       "f * pixels",
       [=](std::size_t i) {
         const auto number = static_cast<std::int64_t>(i);
         if (number >= frames - 1 + pixels) return last;
         const auto flat = [=](std::int64_t at) { return film(at / pixels, at % pixels); };
         return number == 0 ? 0.0 : std::fabs(flat(number) - flat(number - 1));
       }});
  found.push_back({"film-without-pixels",
                   "comes out if frame f is copied from number f of the film on: it begins at f * pixels",
                   [=](std::size_t i) {
                     const std::int64_t f = frame(i), at = f + pixel(i);
                     const auto flat = [=](std::int64_t number) {
                       return film(number / pixels, number % pixels);
                     };
                     return f == 0 ? 0.0 : std::fabs(flat(at) - flat(at - 1));
                   }});
  const auto is_from = [=, &q](std::int64_t first) {
    return q.wrong.back() / static_cast<std::size_t>(pixels) >= static_cast<std::size_t>(first);
  };
  for (std::int64_t back = 2; back < std::min(MOST_SLOTS, frames) && is_from(back); ++back)
    found.push_back(
        {"frames-back",
         "is how far the pixel moved in " + std::to_string(back) +
             " frames: the frame before is in the slot before, and in the last slot where a frame is in "
             "the first",
         [=](std::size_t i) {
           const std::int64_t f = frame(i);
           return f >= back ? std::fabs(film(f, pixel(i)) - film(f - back, pixel(i))) : rest(i);
         }});
  for (std::int64_t slots = 2; slots < std::min(MOST_SLOTS, frames); ++slots) {
    const double never =
        q.result.at(static_cast<std::size_t>(slots * pixels)).value;  // what moved began with
    found.push_back({"film-as-short-as-the-ring",
                     "comes out if only frames 0 to " + std::to_string(slots - 1) +
                         " travel, again and again: a slot's number says nothing about the place in the film",
                     [=](std::size_t i) {
                       const std::int64_t f = frame(i), before = f == 0 ? slots - 1 : f - 1;
                       return f < slots ? std::fabs(film(f, pixel(i)) - film(before, pixel(i))) : never;
                     }});
  }
  return found;
}

// Of each frame the first quarter alone has come back: `pixels` bytes of it.
static std::optional<Pattern> part_of_each_frame(const WrongResult& q) {
  const auto pixels = static_cast<std::size_t>(q.data["pixels"]);
  const auto bytes = pixels * sizeof(std::int32_t);
  const auto never = q.result.at(pixels - 1).value;
  const std::size_t whole = pixels / sizeof(std::int32_t);  // that so many bytes hold
  if (whole == 0 || !q.all([=](std::size_t i) { return i % pixels >= whole; })) return {};
  for (std::size_t i = 0; i < q.result.count(); ++i)
    if (i % pixels > whole && q.result.at(i).value != never) return {};
  return of_values(
      "elements-for-bytes",
      "is behind the first quarter of its frame, which alone was copied: the size of a copy is in "
      "bytes, pixels * sizeof(int) = " +
          std::to_string(bytes));
}

// Nobody has written the result of frame 0, which has what the array began with: one number everywhere.
static std::optional<Pattern> first_frame_left_out(const WrongResult& q) {
  const auto pixels = static_cast<std::size_t>(q.data["pixels"]);
  const std::int64_t never = q.result.at(0).integer;
  if (never == 0 || q.wrong.size() != pixels ||
      !q.all([=, &q](std::size_t i) { return i < pixels && q.result.at(i).integer == never; }))
    return {};
  return of_values(
      "first-frame-left-out",
      "is " + std::to_string(never) +
          ", as nobody has written the result of frame 0: it is asked for, too, and nothing moves there");
}

// Of three frames and more, whose results tell: each frame has the result of the one before.
static std::optional<Pattern> of_the_frame_before(const WrongResult& q) {
  const auto pixels = static_cast<std::size_t>(q.data["pixels"]);
  if (q.data["frames"] < 3) return {};
  const Expected& expected = q.data.expected("moved");
  for (std::size_t i = pixels; i < q.result.count(); ++i)
    if (q.result.at(i).integer != expected.at(i - pixels).integer()) return {};
  return of_values("result-of-the-frame-before",
                   "is the result of the frame before: the copy out reads the slot of another frame");
}

// The mistake that explains all that is wrong, if it is one of these.
static std::optional<Pattern> mistake(const WrongResult& q) {
  const Array& frames = q.data.array("film");
  const std::int64_t pixels = q.data["pixels"];
  const auto film = [&, pixels](std::int64_t frame, std::int64_t pixel) {
    return frames.at(static_cast<std::size_t>(frame * pixels + pixel)).value;
  };
  if (const auto pattern = part_of_each_frame(q)) return pattern;
  if (const auto pattern = first_frame_left_out(q)) return pattern;
  if (const auto pattern = of_the_frame_before(q)) return pattern;
  bool moves = false;
  for (std::size_t i = 0; i < q.result.count(); ++i) moves = moves || q.result.at(i).integer != 0;
  if (!moves)
    return of_values(
        "equal-frames",
        "is 0, as if a frame were compared with itself: the frame before is in another slot, and each copy "
        "begins at its own frame of the film; or as if the result of another frame were copied out");
  return explained(q, mistakes_in_frames(q, film));
}

static Outcome judge(const Dataset& data, const HostArrays& results, const Kernels& kernels) {
  return compare(data, results, kernels, mistake);
}

int main(int argc, char** argv) { return run_lab({.make = make, .judge = judge}, argc, argv); }
