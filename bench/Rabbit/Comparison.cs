using System.Text.Json;
using Raceway.Interop.RabbitMq;

namespace Raceway.RabbitBench;

/// <summary>Both ways in turns, and what came of it.</summary>
internal sealed class Comparison(RabbitMqOptions broker, int items, int singles, int partitions, int frame)
{
    private readonly List<double> _inFrames = [];
    private readonly List<double> _oneByOne = [];

    /// <summary>Whether every round that was run to its end had everything, once and in order.</summary>
    public bool IsRight { get; private set; } = true;

    // The least of one against the most of the other: no round says less.
    private double TimesAtLeast => _inFrames.Min() / _oneByOne.Max();

    /// <summary>Runs to the end, or until it is cancelled: rounds that were complete are kept.</summary>
    public async Task RunAsync(int rounds, TextWriter output, CancellationToken cancellation)
    {
        try
        {
            for (int round = 1; round <= rounds; round++)
            {
                (double seconds, bool isRight, string note) =
                    await FramedRun.RunAsync(broker, items, partitions, frame, cancellation);
                output.WriteLine($"round {round}: frames      {items / seconds,12:N0} items/s  verified {isRight}  ({note})");
                (double singleSeconds, bool isSingleRight) =
                    await SingleRun.RunAsync(broker.Nodes[0], singles, cancellation);
                output.WriteLine(
                    $"round {round}: one a message {singles / singleSeconds,10:N0} items/s  verified {isSingleRight}");
                _inFrames.Add(items / seconds);
                _oneByOne.Add(singles / singleSeconds);
                IsRight &= isRight && isSingleRight;
            }
        }
        catch (OperationCanceledException) when (cancellation.IsCancellationRequested)
        {
            output.WriteLine($"Interrupted: {_inFrames.Count} of {rounds} rounds were complete.");
        }

        if (_inFrames.Count > 0)
        {
            output.WriteLine(
                $"frames: {_inFrames.Min():N0} items/s or more; {TimesAtLeast:F1} times one a message, or more; "
                + $"verified {IsRight}");
        }
    }

    public void WriteJson(Stream file) => JsonSerializer.Serialize(file, new
    {
        nodes = broker.Nodes.Count,
        items,
        singles,
        partitions,
        frame,
        verified = IsRight,
        framedPerSecond = _inFrames,
        singlePerSecond = _oneByOne,
        timesAtLeast = _inFrames.Count > 0 ? TimesAtLeast : (double?)null,
    });
}
