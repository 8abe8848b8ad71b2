using Raceway.Measuring;
using Raceway.Rings;

namespace Raceway.Suites.RingSuite;

/// <summary>Ping-pong over two rings: one stage answers on its own thread, the asker polls the other ring itself.</summary>
internal sealed class RacewayRoundTripContestant(string name, RingShape shape, RacewaySetting setting)
    : RingContestant(name, shape)
{
    private RingBuffer<long>? _there;

    protected override void Prepare(RingLoad load, RoundThreads roundThreads)
    {
        RingOptions<long> options = setting.Configure(new RingOptions<long>(), Shape);
        var there = new RingBuffer<long>(Shape.Capacity, options);
        var back = new RingBuffer<long>(Shape.Capacity, options);
        _there = there;
        var answers = new Answers();
        Stage poller = back.Slots.Subscribe(answers, new StageOptions { Drive = Drive.Caller });
        there.Slots.SubscribeEvents(new Answer(back.CreateProducer(), Shape.Increments));
        there.Start();

        Feed feed = load.FeedOf();
        roundThreads.Add(() => Ask(there.CreateProducer(), poller, answers, feed, load, roundThreads.Cancellation));
    }

    protected override void Finish(RingLoad load) => _there?.HaltAsync().GetAwaiter().GetResult();

    private static void Ask(
        SingleProducer<long> to, Stage from, Answers answers, Feed feed, RingLoad load, CancellationToken cancellation)
    {
        Check check = load.NewCheck();
        load.StartLaps();
        while (feed.MoveNext())
        {
            to.Publish(feed.Current);
            for (int polls = 0; from.Step().Kind != StepKind.Progressed; polls++)
            {
                if (polls < 20_000) continue;
                // The partner may need this processor, or be gone.
                cancellation.ThrowIfCancellationRequested();
                Thread.Yield();
            }

            check.Take(answers.Last);
            load.Lap();
        }

        load.Report(check);
    }

    private struct Answer(SingleProducer<long> to, int increments) : IEventHandler<long>, IStageLifetime
    {
        private readonly SingleProducer<long> _to = to;
        private readonly int _increments = increments;

        public readonly void OnStart() => Placement.StartApart(1);

        public readonly void OnStop()
        {
        }

        public readonly void OnEvent(ref long item, long sequence, bool endOfBatch)
        {
            Body.Work(ref item, _increments);
            _to.Publish(item);
        }
    }

    private sealed class Answers : IBatchHandler<long>
    {
        public long Last { get; private set; }

        public void OnBatch(Batch<long> batch) => Last = batch[batch.Count - 1];
    }
}
