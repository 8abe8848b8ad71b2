using Raceway.Rings;

namespace Raceway.Suites.RingSuite;

/// <summary>Ours: three stages, each with a thread or pool activation of its own.</summary>
internal sealed class RacewayTrickleContestant(string name, RingShape shape, Wait wait, TimeSpan gap, int messages)
    : TrickleContestant(name, shape, gap, messages)
{
    private RingBuffer<long>? _ring;

    protected override void Prepare(RingLoad load, RoundThreads roundThreads)
    {
        var ring = new RingBuffer<long>(Shape.Capacity, new RingOptions<long> { Wait = wait });
        _ring = ring;
        Check check = load.NewCheck();
        Stage? before = null;
        for (int i = 1; i <= Shape.Stages; i++)
        {
            bool last = i == Shape.Stages;
            var options = new StageOptions { After = before is null ? [] : [before] };
            before = ring.Subscribe(
                (ref long item) =>
                {
                    Body.Work(ref item, Shape.Increments);
                    if (last) check.Take(item);
                },
                options);
        }

        ring.Start();
        SingleProducer<long> producer = ring.CreateProducer();
        roundThreads.Add(() =>
        {
            Publish(load, item => producer.Publish(item));
            ring.DrainAsync(Timeout.InfiniteTimeSpan).GetAwaiter().GetResult();
            load.Report(check);
        });
        roundThreads.OnCancel(() => ring.HaltAsync());
    }

    protected override void Finish(RingLoad load) => _ring?.HaltAsync().GetAwaiter().GetResult();
}
