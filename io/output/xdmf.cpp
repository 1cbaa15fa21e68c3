#include <locdyn/io/output/xdmf.hpp>

#include <cstdio>
#include <sstream>

namespace locdyn::detail {
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
  std::ostringstream text;
  text << "<DataItem Format=\"HDF\" NumberType=\"" << item.type << "\" Precision=\"" << item.precision
       << "\" Dimensions=\"" << item.rows;
  if (item.width > 1) text << ' ' << item.width;
  text << "\">" << xml_escaped(hdf5_) << ":/" << item.dataset << "</DataItem>";
  return text.str();
}

void XdmfCollection::append(double time, const XdmfGrid& grid) {
  std::ostringstream text;
  text << "<Grid Name=\"" << name_ << "\" GridType=\"Uniform\"><Time Value=\"" << exact(time) << "\"/>\n"
       << " <Topology TopologyType=\"" << grid.topology << "\" NumberOfElements=\"" << grid.cells.rows
       << (grid.topology == "Polyvertex" ? "\" NodesPerElement=\"1" : "") << "\">" << this->text(grid.cells)
       << "</Topology>\n"
       << " <Geometry GeometryType=\"XYZ\">" << this->text(grid.points) << "</Geometry>\n";
  for (const XdmfAttribute& attribute : grid.attributes) {
    text << " <Attribute Name=\"" << attribute.name << "\" AttributeType=\""
         << (attribute.item.width == 3 ? "Vector" : "Scalar") << "\" Center=\""
         << (attribute.of_cells ? "Cell" : "Node") << "\">" << this->text(attribute.item) << "</Attribute>\n";
  }
  text << "</Grid>\n";
  grids_ += text.str();
}

void XdmfCollection::append_to(std::string& text) const {
  if (grids_.empty()) return;
  text.append("<Grid Name=\"").append(name_);
  text.append("\" GridType=\"Collection\" CollectionType=\"Temporal\">\n").append(grids_).append("</Grid>\n");
}

std::string xdmf_text(const std::vector<XdmfCollection>& collections) {
  std::string text = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<Xdmf Version=\"2.0\">\n<Domain>\n";
  for (const XdmfCollection& collection : collections) collection.append_to(text);
  text.append("</Domain>\n</Xdmf>\n");
  return text;
}

}  // namespace locdyn::detail
