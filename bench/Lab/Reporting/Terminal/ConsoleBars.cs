using Spectre.Console;

namespace Raceway.Lab.Reporting;

/// <summary>Bars of blocks: full up to the interval, shaded across it; points on a line where figures lie far apart.</summary>
internal static class ConsoleBars
{
    /// <summary>The most bars: a look, not the table again.</summary>
    public const int Most = 12;

    private const int LeastRoom = 8;
    private const int MostRoom = 40;
    private const int LeastName = 12;

    /// <summary>Prints them.</summary>
    public static void Write(ReportBars bars, IAnsiConsole? rich, TextWriter output, int width)
    {
        ReportBar[] shown = [.. bars.Bars.Where(static bar => bar.Value is not null).Take(Most)];
        int text = shown.Max(static bar => bar.Text.Length);
        int name = Math.Min(shown.Max(static bar => bar.Name.Length), Math.Max(LeastName, width - text - LeastRoom - 4));
        int room = Math.Clamp(width - name - text - 4, LeastRoom, MostRoom);
        var scale = BarScale.Of(bars);

        output.WriteLine();
        output.WriteLine(bars.Caption);
        foreach (ReportBar bar in shown)
        {
            string label = Cut(bar.Name, name).PadRight(name);
            string drawing = bars.IsLog ? Point(bar, scale, room) : Blocks(bar, scale, room);
            if (rich is null)
            {
                output.WriteLine($"{label}  {drawing}  {bar.Text}");
                continue;
            }

            rich.Write(new Text($"{label}  ", bar.IsOurs ? new Style(decoration: Decoration.Bold) : Style.Plain));
            rich.Write(new Text(drawing, new Style(bar.IsOurs ? Color.Aqua : Color.Grey)));
            rich.WriteLine($"  {bar.Text}");
        }

        if (bars.Bars.Count > shown.Length)
        {
            output.WriteLine($"({bars.Bars.Count - shown.Length} more in the table)");
        }

        output.WriteLine();
    }

    private static string Blocks(ReportBar bar, BarScale scale, int room)
    {
        int low = Place(scale.Of(bar.Low)), at = Place(scale.Of(bar.Value!.Value)), high = Place(scale.Of(bar.High));
        return $"{new string('█', low)}{new string('▓', Math.Max(0, at - low))}{new string('░', Math.Max(0, high - at))}".PadRight(room);

        int Place(double share) => (int)Math.Round(share * room);
    }

    private static string Point(ReportBar bar, BarScale scale, int room)
    {
        char[] line = new string('·', room).ToCharArray();
        for (int place = Place(bar.Low); place <= Place(bar.High); place++) line[place] = '─';
        line[Place(bar.Value!.Value)] = '●';
        return new string(line);

        int Place(double value) => (int)Math.Round(scale.Of(value) * (room - 1));
    }

    private static string Cut(string text, int most) => text.Length <= most ? text : $"{text[..(most - 1)]}…";
}
