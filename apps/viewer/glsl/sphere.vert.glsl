// A particle as a rectangle around its picture; an instance is a particle.
in vec3 in_0;  // [m]
in float in_1; // scalar
in float in_2; // fluid, of 255
uniform mat3 uTurn; // world to view
uniform vec3 uMove;
uniform float uRadius;
uniform vec4 uCut; // what has xyz . p > w is hidden
uniform int uPaint; // 0: uColour, 1: scalar, 2: fluid
uniform vec3 uColour;
uniform vec2 uRange;
uniform sampler2D uMap; // rows: colours of scalars, colours of fluids; linear
flat out vec4 vSphere;
flat out vec3 vColour;
flat out vec2 vValue; // scalar, fluid

void tangents(float c, float z, float r, out float low, out float high)
{
    float root = r * sqrt(max(c * c + z * z - r * r, 0.0)), scale = 1.0 / (z * z - r * r);
    low = (c * z - root) * scale;
    high = (c * z + root) * scale;
}

vec3 paint()
{
    if (uPaint == 1) {
        float t = clamp((in_1 - uRange.x) / (uRange.y - uRange.x), 0.0, 1.0);
        return texelFetch(uMap, ivec2(int(t * 255.0 + 0.5), 0), 0).rgb;
    }
    return uPaint == 2 ? texelFetch(uMap, ivec2(int(in_2 * 255.0 + 0.5), 1), 0).rgb : uColour;
}

void main()
{
    vec3 c = uTurn * in_0 + uMove;
    // never so small that it falls between samples
    float r = max(uRadius, 0.75 / uFocal * (uFlatView ? 1.0 : c.z));
    vec2 low = c.xy - r, high = c.xy + r;
    vSphere = vec4(c, r);
    vColour = paint();
    vValue = vec2(in_1, floor(in_2 * 255.0 + 0.5));
    bool shown = dot(uCut.xyz, in_0) <= uCut.w && (uFlatView || c.z - r > uNearest);
    if (!uFlatView) {
        tangents(c.x, c.z, r, low.x, high.x);
        tangents(c.y, c.z, r, low.y, high.y);
    }
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    vec2 at = mix(uCentre + uFocal * low - 1.0, uCentre + uFocal * high + 1.0, corner);
    gl_Position = shown ? vec4(2.0 * at / uSize - 1.0, 0, 1) : vec4(2, 2, 2, 1);
}
