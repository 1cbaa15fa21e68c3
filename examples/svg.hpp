#pragma once
// Pictures of mechanisms and curves as SVG: panels beside each other in rows, each a frame around lines that it is
// scaled to.

#include <Eigen/Core>
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

namespace example {

struct Line {
  std::vector<Eigen::Vector2d> points;
  std::string colour = "black";
  double width = 1.5;    ///< [px]
  bool markers = false;  ///< a dot at each point: the joints of a mechanism
};

enum class Axes {
  own,  ///< x and y each fill the frame
  equal
};

class Svg {
 public:
  /// Panels of `size` pixels.
  explicit Svg(double size = 320) : outer_(size) {}

  /// Panels go on in a row below.
  void row() {
    left_ = kLeft;
    top_ += outer_ + 60;
  }

  /// A panel more, to the right of those there are in the row.
  void panel(const std::string& title, const std::vector<Line>& lines, Axes axes = Axes::own) {
    Eigen::Array2d low = Eigen::Array2d::Constant(std::numeric_limits<double>::infinity()), high = -low;
    for (const Line& line : lines) {
      for (const Eigen::Vector2d& p : line.points) {
        low = low.min(p.array());
        high = high.max(p.array());
      }
    }
    Eigen::Array2d size = (high - low).max(1e-12);
    if (axes == Axes::equal) size = Eigen::Array2d::Constant(size.maxCoeff());
    const Eigen::Array2d middle = 0.5 * (low + high);
    const auto place = [&](const Eigen::Vector2d& p) {
      const Eigen::Array2d t = (p.array() - middle) / size * (outer_ - 2 * kMargin);
      return Eigen::Array2d(left_ + 0.5 * outer_ + t.x(), top_ + 0.5 * outer_ - t.y());
    };
    text_ << "<rect x='" << left_ << "' y='" << top_ << "' width='" << outer_ << "' height='" << outer_
          << "' fill='none' stroke='#bbb'/>\n<text x='" << left_ << "' y='" << top_ - 8 << "'>" << title << "</text>\n";
    const auto number = [](double value) {
      char spelled[32];
      std::snprintf(spelled, sizeof spelled, "%.4g", value);
      return std::string(spelled);
    };
    text_ << "<text x='" << left_ << "' y='" << top_ + outer_ + 16 << "'>x " << number(low.x()) << " … "
          << number(high.x()) << ", y " << number(low.y()) << " … " << number(high.y()) << "</text>\n";
    for (const Line& line : lines) {
      text_ << "<polyline fill='none' stroke='" << line.colour << "' stroke-width='" << line.width << "' points='";
      for (const Eigen::Vector2d& p : line.points) text_ << place(p).x() << ',' << place(p).y() << ' ';
      text_ << "'/>\n";
      for (const Eigen::Vector2d& p : line.points) {
        if (!line.markers) break;
        text_ << "<circle cx='" << place(p).x() << "' cy='" << place(p).y() << "' r='4' fill='white' stroke='"
              << line.colour << "'/>\n";
      }
    }
    left_ += outer_ + kLeft;
    width_ = std::max(width_, left_);
  }

  /// Writes the file and says so; false where that fails.
  [[nodiscard]] bool save(const char* name) const {
    std::ofstream file(name);
    file << "<svg xmlns='http://www.w3.org/2000/svg' width='" << width_ << "' height='" << top_ + outer_ + 30
         << "' font-family='sans-serif' font-size='13'>\n<rect width='100%' height='100%' fill='white'/>\n"
         << text_.str() << "</svg>\n";
    file.close();
    std::printf("picture: %s\n", name);
    return static_cast<bool>(file);
  }

 private:
  static constexpr double kLeft = 20, kMargin = 15;  // px
  double outer_, left_ = kLeft, top_ = 30, width_ = kLeft;
  std::ostringstream text_;
};

}  // namespace example
