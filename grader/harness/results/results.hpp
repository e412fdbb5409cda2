// The results file: one JSON object a line. Each line is flushed at once, so that a process that is killed in
// the middle of a case loses none of the earlier ones.
#pragma once
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "influence/footprint.hpp"
#include "influence/search.hpp"
#include "launches/launch_shape.hpp"
#include "results/outcome.hpp"

namespace warpgrade::harness {

// Student and reference at one size. Times are milliseconds, paired by position.
struct Timing {
  std::vector<std::int64_t> size;  // in the order of --parameters
  std::vector<double> student_ms;
  std::vector<double> reference_ms;
  double ratio = 0;      // median of reference / student
  bool settled = false;  // the confidence interval of the ratio is below ±1 %
  Outcome checked;       // comparison of one of the student's timed results
};

class Results {
 public:
  // Throws UsageError when the file cannot be written.
  explicit Results(const std::filesystem::path& file);

  void environment(const std::string& device, int runtime, int driver);
  void launch_shape(const LaunchShape& shape);
  void edit(int number);  // the records of cases that follow are its
  void begin(const std::string& name);
  void outcome(const std::string& name, const Outcome& outcome);
  void time(const Timing& timing);
  // What some elements of a result depend on; an index without numbers stands for all of them together.
  // `values`: theirs, before any change.
  void influence(const std::string& name, const std::vector<Shape>& indices, const Values& values,
                 const InfluenceSearch& search);
  void footprints(const std::string& name, const std::vector<ElementFootprint>& footprints);
  void end();

 private:
  void line(const std::string& json);

  std::ofstream file_;
  int kernels_ = 0;  // number of kernels whose launch shapes were written
};

}  // namespace warpgrade::harness
