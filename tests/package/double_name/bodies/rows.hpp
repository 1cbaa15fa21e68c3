#pragma once
// One of two types of one name; the test of names finds them.

namespace locdyn::detail {

struct Rows {
  int count = 0;
};

}  // namespace locdyn::detail
