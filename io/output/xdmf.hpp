#pragma once
// XDMF text: collections in time of grids whose numbers lie in an HDF5 file. Every item is a whole dataset, never a
// part of one: that is what all three readers of ParaView understand. Source: XDMF Model and Format, xdmf.org; what
// ParaView 5.11 was seen to read.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace locdyn::detail {

/// A dataset (rows, width), or (rows) where the width is 1.
struct XdmfItem {
  std::string dataset;  ///< full path inside the HDF5 file, without the leading slash
  std::size_t rows = 0;
  int width = 1;                    ///< 1 or 3
  std::string_view type = "Float";  ///< or "Int"
  int precision = 4;                ///< bytes a number
};

struct XdmfAttribute {
  std::string_view name;
  bool of_cells;  ///< else of points
  XdmfItem item;
};

/// Points with triangles, or each a vertex.
struct XdmfGrid {
  std::string_view topology;  ///< "Triangle", "Polyvertex"
  XdmfItem cells, points;
  std::vector<XdmfAttribute> attributes;
};

/// Grids that show the same at different times.
class XdmfCollection {
 public:
  /// `hdf5` is the name of the file of the numbers, in the folder of the XDMF file.
  XdmfCollection(std::string name, std::string hdf5) : name_(std::move(name)), hdf5_(std::move(hdf5)) {}
  void append(double time, const XdmfGrid& grid);
  /// Nothing where there is no grid: readers want at least one.
  void append_to(std::string& text) const;

 private:
  [[nodiscard]] std::string text(const XdmfItem& item) const;

  std::string name_, hdf5_, grids_;
};

/// `text` with <, >, & and quotes written as entities.
[[nodiscard]] std::string xml_escaped(std::string_view text);

/// A whole file.
[[nodiscard]] std::string xdmf_text(const std::vector<XdmfCollection>& collections);

}  // namespace locdyn::detail
