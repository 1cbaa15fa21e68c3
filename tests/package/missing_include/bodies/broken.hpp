// Uses a vector and includes none: includes.py has to say so.
#pragma once
inline int size_of(const std::vector<int>& values) { return static_cast<int>(values.size()); }
