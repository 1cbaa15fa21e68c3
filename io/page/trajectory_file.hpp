#pragma once
// A trajectory read back frame by frame (io/output/trajectory_writer.hpp says what lies in it).

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <locdyn/ldy/fclib/hdf5_handle.hpp>

namespace locdyn::detail {

/// Of some frames that follow one another, bodies × width numbers each.
struct BodyFrames {
  std::vector<double> position, orientation;  ///< widths 3 [m] and 4, scalar first; NaN of a body that is not there
  std::vector<std::int32_t> asleep;           ///< width 1
};

/// Contacts of a frame, a row each; vectors have three numbers a row. Older files have no velocity, friction and
/// residual: NaN.
struct FrameContacts {
  std::vector<double> point, normal, force, velocity;  ///< in space [m], –, [N], [m/s]
  std::vector<double> gap, friction, residual;         ///< [m], –, [m/s]
  std::vector<double> cross_friction;                  ///< μ_2 t2 in space where it is not μ; NaN in frames without
  std::vector<std::int32_t> master, slave;
  [[nodiscard]] std::size_t count() const noexcept { return gap.size(); }
};

/// Triangles of the colliders of bodies that move, or of obstacles, in space, as they were in frame `since`.
struct DrawnTriangles {
  std::size_t since = 0;
  std::vector<double> points;                 ///< (points × 3) [m]
  std::vector<std::int32_t> triangles, body;  ///< (triangles × 3), (triangles)
};

[[nodiscard]] bool holds_trajectory(const std::filesystem::path& path);

/// Throws FileError naming the file, and the dataset where one is at fault. Not thread-safe, as HDF5.
class TrajectoryFile {
 public:
  explicit TrajectoryFile(std::filesystem::path path);

  std::string title;
  std::vector<double> times;                 ///< of whole frames [s]
  std::vector<std::int64_t> steps;           ///< steps done at each frame
  std::vector<std::string> names, kinds;     ///< by body
  std::vector<double> masses;                ///< by body [kg]
  std::vector<std::int64_t> contact_counts;  ///< by frame

  [[nodiscard]] std::size_t frames() const noexcept { return times.size(); }
  [[nodiscard]] std::size_t bodies() const noexcept { return names.size(); }

  [[nodiscard]] BodyFrames body_frames(std::size_t first, std::size_t count) const;
  [[nodiscard]] FrameContacts contacts(std::size_t frame) const;
  /// All that there were in the run, the first one first.
  [[nodiscard]] std::vector<DrawnTriangles> triangles() const;

 private:
  [[nodiscard]] Hdf5Handle open(const std::string& name) const;
  [[nodiscard]] bool has(const std::string& name) const;
  [[nodiscard]] std::vector<hsize_t> shape(const std::string& name) const;
  [[nodiscard]] std::size_t count(const std::string& name, const Hdf5Handle& dataset) const;
  template <class Number>
  [[nodiscard]] std::vector<Number> whole(const std::string& name) const;
  template <class Number>
  void rows(const std::string& name, std::size_t first, std::size_t count, std::vector<Number>& values) const;
  [[nodiscard]] std::vector<std::string> texts(const std::string& name) const;
  void read_triangles(const std::string& group, std::vector<DrawnTriangles>& found) const;
  [[noreturn]] void fail(const std::string& place, const std::string& expected, const std::string& found) const;

  Hdf5Silence silence_;
  std::filesystem::path path_;
  Hdf5Handle file_;
};

}  // namespace locdyn::detail
