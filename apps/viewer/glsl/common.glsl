// What all programs share: the camera, and how depths are kept. View space: x right, y down, z forward [m]; the first row of a
// picture is the top one.
uniform float uFocal;      // [pixels], or [pixels/m] without perspective
uniform vec2 uCentre;      // [pixels]
uniform vec2 uSize;        // [pixels] of what is drawn into
uniform bool uFlatView;    // without perspective
uniform float uNearest;    // [m]
uniform float uDepthScale; // [m] depths of this size are told apart best

const float NOTHING = 1e15; // depths from here on: nothing is seen

vec3 viewPoint(vec2 at, float z)
{
    return vec3((at - uCentre) * ((uFlatView ? 1.0 : z) / uFocal), z);
}

vec3 rayOf(vec3 p)
{
    return uFlatView ? vec3(0, 0, 1) : normalize(p);
}

// For the depth test, which keeps numbers from 0 to 1.
float depthKept(float z)
{
    return z < NOTHING ? z / (z + uDepthScale) : 1.0;
}

vec4 clipPlace(vec3 v)
{
    if (uFlatView)
        return vec4(2.0 * (uCentre + uFocal * v.xy) / uSize - 1.0, 0, 1);
    return vec4(2.0 * (uCentre * v.z + uFocal * v.xy) / uSize - v.z, v.z - 2.0 * uNearest, v.z);
}

// A triangle that covers everything.
vec4 fullPlace(int vertex)
{
    return vec4(vertex == 1 ? 3.0 : -1.0, vertex == 2 ? 3.0 : -1.0, 0, 1);
}
