#include "matrix.hpp"

#include <sstream>

#include "isa/variant.hpp"
#include "tests/emulator/isa/matrix_cases.hpp"

namespace warpgrade::hardware {
namespace {

using isa::Fragment;
using isa::MatrixForm;
using isa::MatrixRole;
using isa::matrix_cases::Case;
using isa::matrix_cases::kCases;
using isa::matrix_cases::matrix_bytes;
using isa::matrix_cases::place_in_memory;
using isa::matrix_cases::raw_of;
using isa::matrix_cases::to_memory;
using Bytes = std::vector<std::byte>;

constexpr const char* kHead =
    ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry row(.param .u64 pin, .param .u64 "
    "pout)\n{\n"
    ".reg .b64 in, out, t;\n.reg .b32 i, ld;\n"
    "ld.param.u64 in, [pin];\nld.param.u64 out, [pout];\nmov.u32 i, %ctaid.x;\n";

std::string advance(const char* pointer, std::size_t bytes) {
  return "mul.wide.u32 t, i, " + std::to_string(bytes) + ";\nadd.u64 " + pointer + ", " + pointer + ", t;\n";
}
std::string list(const char* name, int count) {
  std::string text = "{";
  for (int i = 0; i < count; ++i) text += (i ? ", " : "") + (name + std::to_string(i));
  return text + "}";
}
std::string declare(const char* name, const Fragment& f) {
  return ".reg .b" + std::to_string(f.width) + " " + name + "<" + std::to_string(f.registers) + ">;\n";
}
std::size_t register_bytes(const Fragment& f) { return std::size_t{f.registers} * f.width / 8 * 32; }

// ---- mma: registers in, registers out

std::string move_registers(const char* name, const Fragment& f, std::size_t offset, bool load) {
  std::string text;
  const std::string type = ".b" + std::to_string(f.width);
  for (std::size_t reg = 0; reg < f.registers; ++reg) {
    const std::string place =
        std::string(load ? "[in+" : "[out+") + std::to_string(offset + reg * f.width / 8 * 32) + "]";
    const std::string which = name + std::to_string(reg);
    text += load ? "ld.global" + type + " " + which + ", " + place + ";\n"
                 : "st.global" + type + " " + place + ", " + which + ";\n";
  }
  return text;
}

std::string mma_kernel(const MatrixForm& form, const isa::MatrixPlan& plan) {
  const std::size_t a = register_bytes(plan.a), b = register_bytes(plan.b), c = register_bytes(plan.c);
  std::ostringstream out;
  out << kHead << declare("a", plan.a) << declare("b", plan.b) << declare("c", plan.c) << declare("d", plan.d)
      << advance("in", a + b + c) << advance("out", register_bytes(plan.d)) << "mov.u32 i, %tid.x;\n"
      << advance("in", plan.a.width / 8u) << advance("out", plan.d.width / 8u)
      << move_registers("a", plan.a, 0, true) << move_registers("b", plan.b, a, true)
      << move_registers("c", plan.c, a + b, true) << form.row->form << " " << list("d", plan.d.registers)
      << ", " << list("a", plan.a.registers) << ", " << list("b", plan.b.registers) << ", "
      << list("c", plan.c.registers) << ";\n"
      << move_registers("d", plan.d, 0, false) << "ret;\n}\n";
  return out.str();
}

// ---- wmma: matrices in, matrices out

std::string type_in_memory(isa::Element element) {
  constexpr const char* names[] = {"f16", "bf16", "tf32", "f32", "f64", "e4m3", "e5m2",
                                   "s8",  "u8",   "s4",   "u4",  "b1",  "s32"};
  return names[static_cast<int>(element)];
}
std::string wmma_access(const char* what, const char* name, const Fragment& f, const MatrixForm& form,
                        bool column_major, const std::string& pointer) {
  const std::string shape = ".m" + std::to_string(form.shape.m) + "n" + std::to_string(form.shape.n) + "k" +
                            std::to_string(form.shape.k);
  const std::string head = "mov.u32 ld, " + std::to_string(column_major ? f.rows : f.columns) + ";\nwmma." +
                           what + ".sync.aligned." + (column_major ? "col" : "row") + shape + ".global." +
                           type_in_memory(f.element) + " ";
  const std::string registers = list(name, f.registers);
  const bool store = std::string_view(what) == "store.d";
  return head + (store ? "[" + pointer + "], " + registers : registers + ", [" + pointer + "]") + ", ld;\n";
}

std::string wmma_kernel(const MatrixForm& form, const isa::MatrixPlan& plan) {
  const std::size_t a = matrix_bytes(plan.a), b = matrix_bytes(plan.b), c = matrix_bytes(plan.c);
  std::ostringstream out;
  out << kHead << declare("a", plan.a) << declare("b", plan.b) << declare("c", plan.c) << declare("d", plan.d)
      << advance("in", a + b + c) << advance("out", matrix_bytes(plan.d))
      << wmma_access("load.a", "a", plan.a, form, form.column[0], "in") << "add.u64 in, in, " << a << ";\n"
      << wmma_access("load.b", "b", plan.b, form, form.column[1], "in") << "add.u64 in, in, " << b << ";\n"
      << wmma_access("load.c", "c", plan.c, form, false, "in") << form.row->form << " "
      << list("d", plan.d.registers) << ", " << list("a", plan.a.registers) << ", "
      << list("b", plan.b.registers) << ", " << list("c", plan.c.registers) << ";\n"
      << wmma_access("store.d", "d", plan.d, form, false, "out") << "ret;\n}\n";
  return out.str();
}

// A fragment of wmma, as the GPU lays it out: each element is its own number in the matrix.
bool is_laid_out_alike(Gpu& gpu, const MatrixForm& form, MatrixRole matrix) {
  const Fragment f = fragment_of(form, matrix);
  if (f.width / f.packed < 16) return true;  // too narrow to number them
  const bool column_major = matrix != MatrixRole::c && form.column[matrix == MatrixRole::b];
  Bytes memory(matrix_bytes(f));
  const std::size_t element_bytes = f.width / f.packed / 8u;
  for (std::size_t i = 0; i < std::size_t{f.rows} * f.columns; ++i)
    std::memcpy(memory.data() + place_in_memory(f, i, column_major) * element_bytes, &i, element_bytes);
  const char* what = matrix == MatrixRole::a ? "load.a" : matrix == MatrixRole::b ? "load.b" : "load.c";
  const std::string text = kHead + declare("a", f) + wmma_access(what, "a", f, form, column_major, "in") +
                           "mov.u32 i, %tid.x;\n" + advance("out", f.width / 8u) +
                           move_registers("a", f, 0, false) + "ret;\n}\n";
  Bytes out(register_bytes(f));
  if (!gpu.run(text, 1, 32, memory, out)) return true;
  for (int reg = 0; reg < f.registers; ++reg)
    for (int part = 0; part < f.packed; ++part)
      for (int lane = 0; lane < 32; ++lane)
        if (raw_of(f, out.data(), reg, part, lane) != f.place(reg % f.distinct, part, lane)) {
          std::printf("%s, %s: register %d, element %d of lane %d is element %llu, not %u\n", form.row->form,
                      what, reg, part, lane,
                      static_cast<unsigned long long>(raw_of(f, out.data(), reg, part, lane)),
                      f.place(reg % f.distinct, part, lane));
          return false;
        }
  return true;
}

// ---- one form

void append(Bytes& to, const Bytes& more) { to.insert(to.end(), more.begin(), more.end()); }

std::uint64_t element_of(const Bytes& memory, const Fragment& f, std::size_t index) {
  std::uint64_t raw = 0;
  const std::size_t bytes = f.width / f.packed / 8u;
  std::memcpy(&raw, memory.data() + index * bytes, bytes);
  return raw;
}

// All that one element of D was made from.
void print_difference(const Case& one, std::size_t element, std::uint64_t emulator, std::uint64_t gpu) {
  const isa::MatrixShape& s = one.plan.form.shape;
  const std::size_t matrix = element / (std::size_t{s.m} * s.n), row = element / s.n % s.m,
                    column = element % s.n;
  std::printf("    element %zu: emulator %llx, GPU %llx; c", element,
              static_cast<unsigned long long>(emulator), static_cast<unsigned long long>(gpu));
  const auto raw = [](const Fragment& f, const Bytes& registers, std::size_t index) {
    for (int reg = 0; reg < f.distinct; ++reg)
      for (int part = 0; part < f.packed; ++part)
        for (int lane = 0; lane < 32; ++lane)
          if (f.place(reg, part, lane) == index) return raw_of(f, registers.data(), reg, part, lane);
    return std::uint64_t{0};
  };
  std::printf(" %llx; a·b", static_cast<unsigned long long>(raw(one.plan.c, one.c, element)));
  for (std::size_t k = 0; k < s.k; ++k)
    std::printf(" %llx·%llx",
                static_cast<unsigned long long>(raw(one.plan.a, one.a, (matrix * s.m + row) * s.k + k)),
                static_cast<unsigned long long>(raw(one.plan.b, one.b, (matrix * s.k + k) * s.n + column)));
  std::printf("\n");
}

constexpr int kMostPrinted = 6;  // differing elements printed for each form

}  // namespace

Matrices ask_matrices(Gpu& gpu, std::ostream& answers) {
  answers << "# An H200's answers to the cases of grader/tests/emulator/isa/matrix_cases.hpp; made by "
             "grader/tests/gpu/isa/isa.sh.\n";
  Matrices sum;
  for (const isa::Operation& row : isa::matrix_rows()) {
    const MatrixForm form = isa::matrix_cases::form_of(row);
    std::vector<Case> cases;
    Bytes in;
    for (int index = 0; index < kCases; ++index) {
      Case& one = cases.emplace_back(isa::matrix_cases::make_case(form, index));
      const isa::MatrixPlan& plan = one.plan;
      append(in, form.is_wmma ? to_memory(plan.a, one.a, form.column[0]) : one.a);
      append(in, form.is_wmma ? to_memory(plan.b, one.b, form.column[1]) : one.b);
      append(in, form.is_wmma ? to_memory(plan.c, one.c, false) : one.c);
    }
    const isa::MatrixPlan& plan = cases[0].plan;
    const std::size_t each = form.is_wmma ? matrix_bytes(plan.d) : register_bytes(plan.d);
    Bytes out(each * kCases);
    if (!gpu.run(form.is_wmma ? wmma_kernel(form, plan) : mma_kernel(form, plan), kCases, 32, in, out)) {
      std::printf("%s: not on this GPU\n", row.form);
      continue;
    }
    isa::cases::Digest digest;
    int different = 0, elements = 0;
    for (std::size_t index = 0; index < kCases; ++index) {
      Bytes answer(out.begin() + static_cast<std::ptrdiff_t>(index * each),
                   out.begin() + static_cast<std::ptrdiff_t>((index + 1) * each));
      if (!form.is_wmma) answer = to_memory(plan.d, answer, false);
      isa::matrix_cases::add(digest, answer);
      const Bytes ours =
          to_memory(plan.d, isa::matrix_cases::multiply(*isa::chosen_variant().matrix, cases[index]), false);
      if (ours == answer) continue;
      ++different;
      for (std::size_t i = 0; i < std::size_t{plan.d.rows} * plan.d.columns * plan.d.matrices; ++i) {
        const std::uint64_t a = element_of(ours, plan.d, i), b = element_of(answer, plan.d, i);
        if (a != b && elements++ < kMostPrinted) print_difference(cases[index], i, a, b);
      }
    }
    ++sum.asked;
    sum.differ += different != 0;
    if (different != 0)
      std::printf("%s: %d of %d cases, %d elements differ\n", row.form, different, kCases, elements);
    answers << row.form << '\t' << digest.text() << '\n';
    if (!form.is_wmma) continue;
    for (const MatrixRole matrix : {MatrixRole::a, MatrixRole::b, MatrixRole::c})
      sum.fragments += !is_laid_out_alike(gpu, form, matrix);
  }
  return sum;
}

}  // namespace warpgrade::hardware
