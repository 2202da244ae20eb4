flat in vec4 vDisc;
flat in float vPeak;
layout(location = 0) out vec4 oThickness; // [r]
uniform sampler2D uBehind;
uniform float uRadius;

void main()
{
    vec2 d = (gl_FragCoord.xy - vDisc.xy) / vDisc.z;
    float behind = texelFetch(uBehind, ivec2(gl_FragCoord.xy), 0).r;
    float seen = clamp(0.5 + 0.5 * (behind - vDisc.w) / uRadius, 0.0, 1.0);
    oThickness = vec4(vPeak * seen * max(1.0 - dot(d, d), 0.0));
}
