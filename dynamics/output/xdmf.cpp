#include <locdyn/dynamics/output/xdmf.hpp>

#include <cstdio>

namespace locdyn {
namespace {

std::string exact(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

}  // namespace

std::string xml_escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '<': escaped += "&lt;"; break;
      case '>': escaped += "&gt;"; break;
      case '&': escaped += "&amp;"; break;
      case '"': escaped += "&quot;"; break;
      case '\'': escaped += "&apos;"; break;
      default: escaped += c;
    }
  }
  return escaped;
}

std::string XdmfCollection::text(const XdmfItem& item) const {
  const std::string width = item.width > 1 ? " " + std::to_string(item.width) : "";
  return "<DataItem Format=\"HDF\" NumberType=\"" + std::string(item.type) + "\" Precision=\"" +
         std::to_string(item.precision) + "\" Dimensions=\"" + std::to_string(item.rows) + width + "\">" +
         xml_escaped(hdf5_) + ":/" + item.dataset + "</DataItem>";
}

void XdmfCollection::append(double time, const XdmfGrid& grid) {
  const std::string each = grid.topology == "Polyvertex" ? "\" NodesPerElement=\"1" : "";
  grids_ += "<Grid Name=\"" + name_ + "\" GridType=\"Uniform\"><Time Value=\"" + exact(time) + "\"/>\n";
  grids_ += " <Topology TopologyType=\"" + std::string(grid.topology) + "\" NumberOfElements=\"" +
            std::to_string(grid.cells.rows) + each + "\">" + text(grid.cells) + "</Topology>\n";
  grids_ += " <Geometry GeometryType=\"XYZ\">" + text(grid.points) + "</Geometry>\n";
  for (const XdmfAttribute& attribute : grid.attributes) {
    grids_ += " <Attribute Name=\"" + std::string(attribute.name) + "\" AttributeType=\"" +
              (attribute.item.width == 3 ? "Vector" : "Scalar") + "\" Center=\"" +
              (attribute.of_cells ? "Cell" : "Node") + "\">" + text(attribute.item) + "</Attribute>\n";
  }
  grids_ += "</Grid>\n";
}

std::string XdmfCollection::text() const {
  if (grids_.empty()) return {};
  return "<Grid Name=\"" + name_ + "\" GridType=\"Collection\" CollectionType=\"Temporal\">\n" + grids_ + "</Grid>\n";
}

std::string xdmf_text(const std::vector<XdmfCollection>& collections) {
  std::string text = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<Xdmf Version=\"2.0\">\n<Domain>\n";
  for (const XdmfCollection& collection : collections) text += collection.text();
  return text + "</Domain>\n</Xdmf>\n";
}

}  // namespace locdyn
