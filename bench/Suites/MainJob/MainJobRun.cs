using System.Diagnostics;

namespace Raceway.Suites.MainJob;

/// <summary>The main job itself: every line of the input through the stages, once.</summary>
public static class MainJobRun
{
    /// <summary>Runs it.</summary>
    /// <param name="input">The files.</param>
    /// <param name="engine">What takes the lines through the stages.</param>
    /// <param name="hashed">Whether lines are hashed.</param>
    /// <param name="withDigests">Whether the digests of the files are wanted.</param>
    /// <param name="cancellation">Stops it.</param>
    /// <exception cref="InputException">A file cannot be read.</exception>
    /// <exception cref="OperationCanceledException">It was stopped.</exception>
    public static MainJobResult Execute(
        InputSet input, ILineEngine engine, bool hashed, bool withDigests, CancellationToken cancellation)
    {
        long started = Stopwatch.GetTimestamp();
        FileDigests? digests = withDigests ? new FileDigests(input.Files.Count) : null;
        var totals = new LineTotals(digests: digests);
        using var pool = new ChunkPool(stop: cancellation);
        using var reader = new LineReader(input.Files, pool);
        if (hashed)
        {
            engine.Run<HashedLine>(reader, totals, cancellation);
        }
        else
        {
            engine.Run<Line>(reader, totals, cancellation);
        }

        totals.Complete();
        double seconds = Stopwatch.GetElapsedTime(started).TotalSeconds;
        return new MainJobResult(input, totals, reader.FileBytes, digests, seconds, engine.Name);
    }
}
