using System.Diagnostics;

namespace Raceway.Analysis.Tuning;

/// <summary>A paced round without a pipeline: what is late here is the generator and the machine, and no setting's doing.</summary>
internal sealed class ControlTrial(TrialRequest request, CancellationToken cancellation)
{
    public TrialReply Run()
    {
        double rate = request.Rate ?? throw new InvalidOperationException("a control has a rate: nothing is as fast as nothing.");
        PacedRound round = new TrialWatch(request).Send(
            default(Nowhere), rate, OpenLoop.LargestGroup, look: null, Stopwatch.GetTimestamp, cancellation);
        return new TrialReply
        {
            Items = round.Sent, Seconds = round.Used.Seconds, Verified = round.Latency.Count == round.Sent,
            CpuSeconds = round.Used.CpuSeconds, AllocatedBytes = round.Used.AllocatedBytes, Latencies = round.Latency.ToPairs(),
            WindowP99s = round.WindowP99s, FellBehind = round.FellBehind,
        };
    }

    private readonly struct Nowhere : IOutlet
    {
        // All that was sent.
        public long Passed => long.MaxValue;

        public int TryPublish(long first, int count) => count;
    }
}
