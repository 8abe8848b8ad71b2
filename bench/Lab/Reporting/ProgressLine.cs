using System.Globalization;
using Raceway.Lab.Cli;
using Raceway.Measuring;

namespace Raceway.Lab.Reporting;

/// <summary>Says how far the measuring is: one line written over on a terminal, a plain line for each phase elsewhere.</summary>
/// <remarks>It has no thread and no timer, which would take part in what is measured.</remarks>
internal sealed class ProgressLine(ToolConsole console) : IProgress<MeasuringProgress>, IDisposable
{
    private const int BarWidth = 24;
    private string? _phase;
    private int _shown;

    /// <inheritdoc/>
    public void Report(MeasuringProgress value)
    {
        string phase = $"{value.Case}: {value.Phase}";
        if (console.IsErrorRich)
        {
            Overwrite(string.Create(
                CultureInfo.InvariantCulture, $"[{Bar(value)}] {phase}, {value.Contestant}"));
        }
        else if (phase != _phase)
        {
            _phase = phase;
            console.Error.WriteLine(phase);
        }
    }

    /// <summary>Clears the line.</summary>
    public void Dispose()
    {
        if (_shown > 0)
        {
            Overwrite("");
            console.Error.Write('\r');
        }
    }

    private static string Bar(MeasuringProgress value)
    {
        int full = Math.Clamp(BarWidth * value.Done / Math.Max(1, value.Total), 0, BarWidth);
        return new string('#', full) + new string('.', BarWidth - full);
    }

    private void Overwrite(string text)
    {
        console.Error.Write('\r' + text.PadRight(_shown));
        _shown = text.Length;
    }
}
