#include "law_numbers.hpp"

#include <array>
#include <stdexcept>
#include <string>

namespace locdyn::python {
namespace {

// Visits the members of each law: writes them or reads them, so that both know the same.
template <class V>
void members(V& v, ContactLaw& law) {
  v(law.friction), v(law.shift), v(law.planar);
}
template <class V>
void members(V& v, CompliantLaw& law) {
  v(law.friction), v(law.shift), v(law.give), v(law.planar);
}
template <class V>
void members(V& v, EllipticLaw& law) {
  v(law.friction[0]), v(law.friction[1]), v(law.shift);
}
template <class V>
void members(V& v, RollingLaw& law) {
  v(law.friction), v(law.rolling), v(law.torsional), v(law.length), v(law.shift), v(law.moment_rows);
}
template <class V>
void members(V& v, BilateralLaw& law) {
  v(law.block_count);
  for (auto& block : law.block) v(block.rows), v(block.shift), v(block.compliance);
}

template <class V>
void members(V& v, BoundedLaw& law) {
  v(law.block_count);
  for (auto& block : law.block) v(block.rows), v(block.shift), v(block.compliance);
  v(law.bounded), v(law.lower), v(law.upper), v(law.load[0]), v(law.load[1]);
}

struct Writer {
  std::vector<double> out;
  template <class Number>
  void operator()(const Number& value) {
    out.push_back(static_cast<double>(value));
  }
  void operator()(const Eigen::Vector3d& value) {
    for (const double x : value) out.push_back(x);
  }
};

struct Reader {
  const std::vector<double>& in;
  std::size_t at = 1;
  double next() {
    if (at >= in.size()) throw std::invalid_argument("law: expected more numbers, found " + std::to_string(in.size()));
    return in[at++];
  }
  template <class Number>
  void operator()(Number& value) {
    value = static_cast<Number>(next());
  }
  void operator()(Eigen::Vector3d& value) {
    for (double& x : value) x = next();
  }
};

template <class Kind>
Law read_kind(const std::vector<double>& numbers) {
  Kind law;
  Reader reader{numbers};
  members(reader, law);
  law.validate();
  return law;
}

template <class... Kinds>
Law read_law(std::size_t kind, const std::vector<double>& numbers, const std::variant<Kinds...>*) {
  using Read = Law (*)(const std::vector<double>&);
  constexpr std::array<Read, sizeof...(Kinds)> kReaders = {&read_kind<Kinds>...};
  if (kind >= kReaders.size()) {
    throw std::invalid_argument("law: expected a kind below " + std::to_string(kReaders.size()) + ", found " +
                                std::to_string(kind));
  }
  return kReaders[kind](numbers);
}

}  // namespace

std::vector<double> numbers_of(const Law& law) {
  Writer writer;
  writer(law.index());
  std::visit([&](auto copy) { members(writer, copy); }, law);
  return std::move(writer.out);
}

Law law_of(const std::vector<double>& numbers) {
  if (numbers.empty() || !(numbers[0] >= 0)) throw std::invalid_argument("law: expected a kind, found none");
  return read_law(static_cast<std::size_t>(numbers[0]), numbers, static_cast<const Law*>(nullptr));
}

}  // namespace locdyn::python
