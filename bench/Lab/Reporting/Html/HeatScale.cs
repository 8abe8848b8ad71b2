using System.Text;

namespace Raceway.Lab.Reporting;

/// <summary>The colours of heat maps: viridis, which is even in lightness and told apart by the colour-blind.</summary>
/// <remarks>The page's policy allows no style in a cell, so each step is a class.</remarks>
internal static class HeatScale
{
    /// <summary>Steps from the worst to the best.</summary>
    public const int Steps = 24;

    // Five of the colours of matplotlib's table (CC0); the steps lie between them.
    private static readonly (double Red, double Green, double Blue)[] s_stops =
        [(68, 1, 84), (59, 82, 139), (33, 145, 140), (94, 201, 98), (253, 231, 37)];

    /// <summary>The style of all steps.</summary>
    public static string Style { get; } = MakeStyle();

    /// <summary>The class of a shade.</summary>
    public static string ClassOf(double shade) => $"heat-{StepOf(shade)}";

    /// <summary>The step of a shade.</summary>
    public static int StepOf(double shade) => (int)Math.Round(Math.Clamp(shade, 0, 1) * (Steps - 1));

    /// <summary>The colour of a step, and the colour of text that can be read on it.</summary>
    internal static ((int Red, int Green, int Blue) Colour, bool IsTextLight) Of(int step)
    {
        double place = (double)step / (Steps - 1) * (s_stops.Length - 1);
        int before = Math.Min((int)place, s_stops.Length - 2);
        double part = place - before;
        int Mixed(Func<(double Red, double Green, double Blue), double> of) =>
            (int)Math.Round(of(s_stops[before]) + ((of(s_stops[before + 1]) - of(s_stops[before])) * part));

        var colour = (Mixed(static c => c.Red), Mixed(static c => c.Green), Mixed(static c => c.Blue));
        return (colour, Contrast(Luminance(colour), 1) > Contrast(Luminance(colour), 0));
    }

    /// <summary>The contrast of two luminances, 1 to 21, as WCAG 2 defines it.</summary>
    internal static double Contrast(double a, double b) => (Math.Max(a, b) + 0.05) / (Math.Min(a, b) + 0.05);

    /// <summary>The relative luminance of a colour, 0 to 1, as WCAG 2 defines it.</summary>
    internal static double Luminance((int Red, int Green, int Blue) colour)
    {
        static double Linear(int part) => part / 255.0 is var share && share <= 0.04045
            ? share / 12.92
            : Math.Pow((share + 0.055) / 1.055, 2.4);
        return (0.2126 * Linear(colour.Red)) + (0.7152 * Linear(colour.Green)) + (0.0722 * Linear(colour.Blue));
    }

    private static string MakeStyle()
    {
        var style = new StringBuilder();
        for (int step = 0; step < Steps; step++)
        {
            ((int red, int green, int blue), bool isTextLight) = Of(step);
            style.Append($".heat-{step} {{ background: rgb({red} {green} {blue}); color: {(isTextLight ? "#fff" : "#000")}; }}\n");
        }

        return style.ToString().TrimEnd('\n');
    }
}
