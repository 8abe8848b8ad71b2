namespace Raceway.Lab.Watching;

/// <summary>One figure of an instrument.</summary>
/// <param name="Instrument">Its name.</param>
/// <param name="Tags">What it belongs to.</param>
/// <param name="Value">Counters: since the beginning.</param>
internal readonly record struct MeterFigure(string Instrument, IReadOnlyDictionary<string, string> Tags, double Value);

/// <summary>What all instruments that are watched said at one moment.</summary>
/// <param name="At">Since watching began.</param>
/// <param name="Figures">The figures.</param>
internal sealed record MeterFrame(TimeSpan At, IReadOnlyList<MeterFigure> Figures);

/// <summary>Where frames come from: this process or another one.</summary>
internal interface IMeterFeed : IDisposable
{
    /// <summary>The process that is watched, as a reader knows it.</summary>
    string Target { get; }

    /// <summary>Why there are no more frames; null while there may be.</summary>
    string? Ending { get; }

    /// <summary>The next frame, when its time has come; null when there is none any more.</summary>
    /// <exception cref="OperationCanceledException">It was cancelled.</exception>
    /// <exception cref="Cli.ToolException">What is watched refuses to be.</exception>
    MeterFrame? Next(CancellationToken cancellation);
}
