// The mean thickness of those of 3 x 3 that have the same behind them.
layout(location = 0) out vec4 oThickness;
uniform sampler2D uFrom, uBehind;
uniform ivec2 uPixels; // half-size
uniform float uRadius;

void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy);
    float behind = texelFetch(uBehind, at, 0).r, sum = 0.0, count = 0.0;
    for (int y = -1; y <= 1; y++)
        for (int x = -1; x <= 1; x++) {
            ivec2 t = clamp(at + ivec2(x, y), ivec2(0), uPixels - 1);
            float same = abs(texelFetch(uBehind, t, 0).r - behind) < 6.0 * uRadius || t == at ? 1.0 : 0.0;
            sum += same * texelFetch(uFrom, t, 0).r;
            count += same;
        }
    oThickness = vec4(sum / count);
}
