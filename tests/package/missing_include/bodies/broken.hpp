// Uses a vector and includes none, and an algorithm that Clang 14 refuses: includes.py has to say so.
#pragma once
#include <algorithm>
inline int size_of(const std::vector<int>& values) { return static_cast<int>(values.size()); }
inline void merge(std::vector<int>& values) { values.erase(std::ranges::unique(values).begin(), values.end()); }
