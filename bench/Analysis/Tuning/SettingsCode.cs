using System.Globalization;
using System.Text;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Analysis.Tuning;

/// <summary>Settings as code to paste.</summary>
public static class SettingsCode
{
    /// <summary>An expression that makes them, with <c>using Raceway.Pipelines; using Raceway.Rings;</c>.</summary>
    public static string Of(IReadOnlyDictionary<string, string> knobs)
    {
        PipelineSettings settings = Knobs.ToSettings(knobs);
        var lines = new List<string> { $"Plan = Plan.{settings.Plan}" };
        if (settings.Capacity is { } capacity) lines.Add(Text($"Capacity = {capacity}"));
        if (settings.Dispatch is { } dispatch) lines.Add($"Dispatch = {Of(dispatch)}");
        if (settings.DispatchOf.Count > 0)
        {
            IEnumerable<string> stages = settings.DispatchOf.Select(static one => $"[{Literal(one.Key)}] = {Of(one.Value)}");
            lines.Add($"DispatchOf = new Dictionary<string, Dispatch> {{ {string.Join(", ", stages)} }}");
        }

        if (settings.Wait is { } wait) lines.Add($"Wait = {Of(wait)}");
        if (settings.Padding is { } padding) lines.Add($"Padding = CellPadding.{padding}");
        if (settings.Processors is { } processors) lines.Add($"Processors = [{string.Join(", ", processors)}]");
        return $"new PipelineSettings\n{{\n{string.Concat(lines.Select(static line => $"    {line},\n"))}}}";
    }

    private static string Of(Dispatch dispatch)
    {
        if (dispatch == Dispatch.Single) return "Dispatch.Single";
        var limits = new List<string>();
        if (dispatch.Max is { } max) limits.Add(Text($"max: {max}"));
        if (dispatch.Min > 1) limits.Add(Text($"min: {dispatch.Min}"));
        if (dispatch.MaxAge != Timeout.InfiniteTimeSpan)
            limits.Add(Text($"maxAge: TimeSpan.FromMicroseconds({dispatch.MaxAge.TotalMicroseconds:0})"));
        return $"Dispatch.{dispatch.Level}({string.Join(", ", limits)})";
    }

    // The strategies' defaults are what is tried.
    private static string Of(Wait wait) => wait.Name switch
    {
        "busy-spin" => "Wait.BusySpin()",
        "yield" => "Wait.Yield()",
        "adaptive" => "Wait.Adaptive()",
        "timed-park" => "Wait.TimedPark(TimeSpan.FromMilliseconds(1))",
        "async" => "Wait.Async()",
        _ => "Wait.Park()",
    };

    private static string Literal(string text)
    {
        var literal = new StringBuilder("\"");
        foreach (char c in text)
        {
            if (c is '"' or '\\') literal.Append('\\').Append(c);
            else if (char.IsControl(c)) literal.Append(CultureInfo.InvariantCulture, $"\\u{(int)c:X4}");
            else literal.Append(c);
        }

        return literal.Append('"').ToString();
    }

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
