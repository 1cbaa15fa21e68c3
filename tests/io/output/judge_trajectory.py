"""Reads an XDMF file as a viewer would: every item must be a whole dataset of the size and type it is said to have.
Exit status 0 where all is well, else 1 and a line a fault."""
import os
import sys
import xml.etree.ElementTree as xml

import h5py

kinds = {("Float", "4"): "float32", ("Float", "8"): "float64", ("Int", "4"): "int32"}
faults = []
folder = os.path.dirname(sys.argv[1])
domain = xml.parse(sys.argv[1]).getroot().find("Domain")
files = {}
grids = 0
for collection in domain:
    if collection.get("CollectionType") != "Temporal":
        faults.append(f"{collection.get('Name')}: not a collection in time")
    last = None
    for grid in collection:
        grids += 1
        time = float(grid.find("Time").get("Value"))
        where = f"{collection.get('Name')} at {time}"
        if last is not None and not time > last:
            faults.append(f"{where}: time does not ascend")
        last = time
        counts = {}
        for part in grid:
            for item in part.iter("DataItem"):
                name, path = item.text.strip().split(":")
                file = files.setdefault(name, None) or h5py.File(os.path.join(folder, name), "r")
                files[name] = file
                if path not in file:
                    faults.append(f"{where}: {path}: missing")
                    continue
                shape = tuple(int(n) for n in item.get("Dimensions").split())
                if file[path].shape != shape:
                    faults.append(f"{where}: {path}: said {shape}, found {file[path].shape}")
                if file[path].dtype != kinds[item.get("NumberType"), item.get("Precision")]:
                    faults.append(f"{where}: {path}: found {file[path].dtype}")
                counts[part.tag, part.get("Center")] = shape[0]
                if part.tag == "Topology":
                    largest = int(file[path][...].max())
        if counts["Topology", None] != int(grid.find("Topology").get("NumberOfElements")):
            faults.append(f"{where}: number of elements")
        if largest >= counts["Geometry", None]:
            faults.append(f"{where}: a cell names point {largest} of {counts['Geometry', None]}")
        if counts.get(("Attribute", "Node"), counts["Geometry", None]) != counts["Geometry", None]:
            faults.append(f"{where}: not one value a point")
        if counts.get(("Attribute", "Cell"), counts["Topology", None]) != counts["Topology", None]:
            faults.append(f"{where}: not one value a cell")
if grids == 0:
    faults.append("no grid")
print("\n".join(faults))
sys.exit(1 if faults else 0)
