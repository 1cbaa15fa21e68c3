// What everything stands on: renderer, light, ground grid, camera with its orbit and presets. z is up.

import {
  AmbientLight, Box3, Color, DirectionalLight, Fog, HemisphereLight, PCFSoftShadowMap, PerspectiveCamera,
  Raycaster, Scene, Vector2, Vector3, WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";

import { groundGrid } from "./ground";

/** Directions from which the camera looks at the middle, by the key that chooses them. */
export const kPresets: Record<string, { name: string; from: [number, number, number] }> = {
  1: { name: "corner", from: [0.75, -1, 0.55] },
  2: { name: "front", from: [0, -1, 0.04] },
  3: { name: "right", from: [1, 0, 0.04] },
  4: { name: "back", from: [0, 1, 0.04] },
  5: { name: "left", from: [-1, 0, 0.04] },
  6: { name: "top", from: [0, -0.001, 1] },
};

export class Stage {
  readonly scene = new Scene();
  readonly camera = new PerspectiveCamera(38, 1, 0.01, 1000);
  readonly renderer: WebGLRenderer;
  readonly controls: OrbitControls;
  readonly ground = groundGrid();
  private readonly sun = new DirectionalLight(0xfff1e0, 3.1);
  private readonly raycaster = new Raycaster();
  private box = new Box3(new Vector3(-1, -1, 0), new Vector3(1, 1, 1));
  private dirty = true;

  constructor(canvas: HTMLCanvasElement) {
    this.renderer = new WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFSoftShadowMap;
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener("change", () => this.redraw());
    const sky = new Color("#eef1f3");
    this.scene.background = sky;
    this.scene.fog = new Fog(sky, 50, 100);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.bias = -2e-4;
    this.scene.add(new HemisphereLight(0xf6f9ff, 0xcfc4b6, 2.0), new AmbientLight(0xffffff, 0.35), this.sun, this.sun.target);
    this.scene.add(this.ground);
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement!);
  }

  /** What is to be seen: sets light, grid and how near and far the camera sees, and looks from preset 1. */
  frame(box: Box3): void {
    this.box = box;
    const radius = this.radius, middle = box.getCenter(new Vector3());
    this.sun.position.copy(middle).add(new Vector3(-0.5, -0.9, 1.7).multiplyScalar(2 * radius));
    this.sun.target.position.copy(middle);
    const reach = 1.5 * radius, shadow = this.sun.shadow.camera;
    Object.assign(shadow, { left: -reach, right: reach, top: reach, bottom: -reach, near: 0.05 * radius, far: 8 * radius });
    shadow.updateProjectionMatrix();
    this.sun.shadow.normalBias = 0.004 * radius;
    Object.assign(this.scene.fog!, { near: 12 * radius, far: 34 * radius });
    Object.assign(this.camera, { near: 0.005 * radius, far: 60 * radius });
    const cell = 10 ** Math.floor(Math.log10(radius)), reaches = 14 * radius;
    this.ground.position.set(middle.x, middle.y, this.gridHeight());
    this.ground.scale.setScalar(reaches);
    Object.assign(this.ground.material.uniforms, { cell: { value: cell }, reach: { value: reaches } });
    this.ground.material.uniforms.middle.value.copy(middle);
    this.look("1");
  }

  // A hair above 0 where things stand on z = 0, else below all.
  private gridHeight(): number {
    const low = this.box.min.z, radius = this.radius;
    return low > -0.03 * radius && low < 0.25 * radius ? 0.002 * radius : low - 0.02 * radius;
  }

  private get radius(): number {
    return Math.max(this.box.getSize(new Vector3()).length() / 2, 1e-6);
  }

  look(preset: string): void {
    const view = kPresets[preset];
    const middle = this.box.getCenter(new Vector3());
    const narrow = Math.min(this.camera.aspect, 1);
    const distance = (0.95 * this.radius) / Math.sin((this.camera.fov / 2) * (Math.PI / 180)) / narrow;
    this.camera.position.copy(middle).add(new Vector3(...view.from).normalize().multiplyScalar(distance));
    this.controls.target.copy(middle);
    this.controls.update();
    this.redraw();
  }

  /** The ray through a place of the window. */
  ray(x: number, y: number): Raycaster {
    const rect = this.renderer.domElement.getBoundingClientRect();
    const place = new Vector2(((x - rect.left) / rect.width) * 2 - 1, 1 - ((y - rect.top) / rect.height) * 2);
    this.raycaster.setFromCamera(place, this.camera);
    return this.raycaster;
  }

  set shadows(on: boolean) {
    this.sun.castShadow = on;
    this.redraw();
  }
  get shadows(): boolean { return this.sun.castShadow; }

  redraw(): void { this.dirty = true; }

  /** Draws where something has changed; returns whether it did. */
  draw(): boolean {
    if (!this.dirty) return false;
    this.dirty = false;
    this.renderer.render(this.scene, this.camera);
    return true;
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.renderer.domElement.parentElement!;
    if (width === 0 || height === 0) return;
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.redraw();
  }
}
