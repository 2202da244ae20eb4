// A particle's volume, spread over a disc of 1.5 radii by a parabola, in pixels of half the size.
in vec3 in_0;
uniform mat3 uTurn;
uniform vec3 uMove;
uniform float uRadius;
uniform vec4 uCut;
uniform vec2 uHalf; // [half-size pixels] of what is drawn into
flat out vec4 vDisc; // centre [half-size pixels], reach, depth
flat out float vPeak; // [r]

void main()
{
    vec3 c = uTurn * in_0 + uMove;
    float scale = uFocal / (uFlatView ? 1.0 : c.z), reach = max(0.75 * uRadius * scale, 0.9), pixel = 2.0 / scale;
    bool shown = dot(uCut.xyz, in_0) <= uCut.w && (uFlatView || c.z - uRadius > uNearest);
    vDisc = vec4((uCentre + c.xy * scale) / 2.0, reach, c.z);
    vPeak = 8.0 * uRadius * uRadius * 2.0 / (3.14159265 * pixel * pixel * reach * reach);
    vec2 at = vDisc.xy + (2.0 * vec2(gl_VertexID & 1, gl_VertexID >> 1) - 1.0) * (reach + 0.5);
    gl_Position = shown ? vec4(2.0 * at / uHalf - 1.0, 0, 1) : vec4(2, 2, 2, 1);
}
