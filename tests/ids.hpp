#pragma once
// Lists of ids by their numbers.

#include <initializer_list>
#include <vector>

#include <locdyn/base/typed_id.hpp>

namespace locdyn::test {

template <class Id>
[[nodiscard]] std::vector<Id> ids(std::initializer_list<unsigned> numbers) {
  return std::vector<Id>(numbers.begin(), numbers.end());
}

}  // namespace locdyn::test
