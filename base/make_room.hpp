#pragma once
// What changes several lists takes its memory first: where there is none nothing has changed, and where there is no
// step of the change can fail.

#include <algorithm>
#include <cstddef>

namespace locdyn::detail {

/// From now on `count` elements more take no memory. The list grows as often as it would by itself.
template <class List>
void make_room(List& list, std::size_t count) {
  if (count > list.capacity() - list.size()) list.reserve(std::max(2 * list.size(), list.size() + count));
}

/// The same for one.
template <class List>
void make_room_for_one(List& list) {
  make_room(list, 1);
}

}  // namespace locdyn::detail
