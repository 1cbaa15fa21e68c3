#pragma once
// Laws as numbers and back, for pickles: the kind, then what its struct holds.

#include <locdyn/ldy/law.hpp>
#include <vector>

namespace locdyn::python {

[[nodiscard]] std::vector<double> numbers_of(const Law& law);
/// Throws std::invalid_argument for numbers that `numbers_of` does not give.
[[nodiscard]] Law law_of(const std::vector<double>& numbers);

}  // namespace locdyn::python
