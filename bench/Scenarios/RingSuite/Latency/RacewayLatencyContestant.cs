using System.Globalization;
using Raceway.Pipelines;
using Raceway.Rings;
using Raceway.Scenarios.Measuring;

namespace Raceway.Scenarios.RingSuite;

/// <summary>Ours: published with the ordinary call, struct handlers.</summary>
internal sealed class RacewayLatencyContestant(string name, RingShape shape, Arrivals arrivals, RacewaySetting setting)
    : LatencyContestant(name, shape, arrivals)
{
    private Pipeline<long>? _pipeline;
    private long _handled;
    private long _sleeps;

    // Whether a consumer was asleep, or still awake from the item before, decides what a publishing call costs.
    public override string? Note => _handled == 0 || _sleeps == 0
        ? null
        : string.Create(CultureInfo.InvariantCulture, $"asleep before {Math.Min(1, (double)_sleeps / _handled):P0} of the items");

    protected override int Threads => Shape.Producers + (setting.Plan == Plan.Fused ? 1 : Shape.Stages);

    protected override void Prepare(LatencyRound round, Crew crew)
    {
        PipelineBuilder<long> builder = Pipeline.Of<long>(RingShape.DefaultCapacity).WaitWith(setting.Wait);
        for (int i = 1; i <= Shape.Stages; i++)
        {
            int place = Shape.Producers + (setting.Plan == Plan.Fused ? 0 : i - 1);
            bool last = i == Shape.Stages;
            builder.StageOfEvents(
                $"stage-{i}", new Handler(Shape.Increments, place, last, round.NewReceiver()), setting.Dispatch);
        }

        Pipeline<long> pipeline = _pipeline = builder.Run(setting.Plan);
        crew.Add(() =>
        {
            round.Send(new Sender(pipeline.CreateProducer()));
            pipeline.DrainAsync(Timeout.InfiniteTimeSpan).GetAwaiter().GetResult();
            foreach (StageStatistics stage in pipeline.GetStatistics())
            {
                _handled += stage.Items;
                _sleeps += stage.Parks;
            }

            round.Report(pipeline.Stages[^1].GetHandler<Handler>().Receiver);
        });
        crew.OnCancel(() => pipeline.HaltAsync());
    }

    protected override void Stop() => _pipeline?.HaltAsync().GetAwaiter().GetResult();

    private readonly struct Sender(SingleProducer<long> producer) : ISender
    {
        private readonly SingleProducer<long> _producer = producer;

        public void Send(long item) => _producer.Publish(item);
    }

    private struct Handler(int increments, int place, bool last, Receiver receiver) : IEventHandler<long>, IStageLifetime
    {
        private readonly int _increments = increments;
        private readonly int _place = place;
        private readonly bool _last = last;
        public Receiver Receiver = receiver;

        public readonly void OnStart() => Placement.StartApart(_place);

        public readonly void OnStop()
        {
        }

        public void OnEvent(ref long item, long sequence, bool endOfBatch)
        {
            Body.Work(ref item, _increments);
            if (_last) Receiver.Take(item);
        }
    }
}
