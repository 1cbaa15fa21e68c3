#pragma once
// The one permutation between a file's rows of a contact, n first, and the library's (t1, t2, n).

#include <Eigen/Core>
#include <span>
#include <vector>

namespace locdyn {

/// The library's row of row k of a contact in a file: n, t1, t2; in 2D n, t1.
inline constexpr int kRowOfFileRow[3] = {2, 0, 1};

/// From a file's vector of d numbers a contact; rows that a 2D file has not are 0.
[[nodiscard]] inline std::vector<Eigen::Vector3d> from_file_order(std::span<const double> values, int d) {
  std::vector<Eigen::Vector3d> contacts(values.size() / static_cast<std::size_t>(d), Eigen::Vector3d::Zero());
  for (std::size_t at = 0; at < values.size(); ++at) {
    const std::size_t width = static_cast<std::size_t>(d);
    contacts[at / width][kRowOfFileRow[at % width]] = values[at];
  }
  return contacts;
}

/// To a file's vector of d numbers a contact.
[[nodiscard]] inline std::vector<double> to_file_order(std::span<const Eigen::Vector3d> contacts, int d) {
  std::vector<double> values;
  values.reserve(contacts.size() * static_cast<std::size_t>(d));
  for (const Eigen::Vector3d& contact : contacts) {
    for (int row = 0; row < d; ++row) values.push_back(contact[kRowOfFileRow[row]]);
  }
  return values;
}

}  // namespace locdyn
