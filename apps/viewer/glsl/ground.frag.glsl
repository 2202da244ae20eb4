// The ground is an endless plane, or nothing: everything else is drawn over it.
layout(location = 0) out vec4 oNormal;
layout(location = 1) out vec4 oDepth;
layout(location = 2) out vec4 oColour;
uniform bool uGround;
uniform vec3 uUp;
uniform float uLevel; // [m] up . p

void main()
{
    vec2 d = (gl_FragCoord.xy - uCentre) / uFocal;
    float across = dot(uUp.xy, d);
    float z = uFlatView ? (uLevel - across) / uUp.z : uLevel / (across + uUp.z);
    bool seen = uGround && z > 0.0 && z < NOTHING;
    z = seen ? z : NOTHING;
    oNormal = vec4(uUp, seen ? 1 : 0);
    oDepth = vec4(z);
    oColour = vec4(0);
    gl_FragDepth = depthKept(z);
}
