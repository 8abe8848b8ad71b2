using System.Globalization;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Suites.RingSuite;

/// <summary>Ours: published with the ordinary call, struct handlers.</summary>
internal sealed class RacewayLatencyContestant(string name, RingShape shape, Arrivals arrivals, RacewaySetting setting)
    : LatencyContestant(name, shape, arrivals)
{
    private RacewayStages<Number>? _stages;
    private Pipeline<Number>? _pipeline;
    private int _rounds;
    private long _handled;
    private long _sleeps;

    // Whether a consumer was asleep, or still awake from the item before, decides what a publishing call costs.
    public override string? Note => _handled == 0 || _sleeps == 0
        ? null
        : string.Create(CultureInfo.InvariantCulture, $"asleep before {Math.Min(1, (double)_sleeps / _handled):P0} of the items");

    protected override int Threads => setting.ThreadsOf(Shape);

    protected override void Prepare(LatencyRound round, RoundThreads roundThreads)
    {
        RacewayStages<Number> stages = _stages = new(Shape, setting, ++_rounds);
        AddStages(round.Load, roundThreads);
        Pipeline<Number> pipeline = _pipeline = stages.Run();
        roundThreads.Add(() =>
        {
            round.Send(new Sender(pipeline.CreateProducer()));
            foreach (StageStatistics stage in stages.Drain(pipeline))
            {
                _handled += stage.Items;
                _sleeps += stage.Parks;
            }
        });
        roundThreads.OnCancel(() => pipeline.HaltAsync());
    }

    protected override void AddStage<TWork>(RingLoad load, RoundThreads roundThreads, int stage, TWork work) =>
        _stages!.Add(load, stage, work);

    protected override void Stop() => _pipeline?.HaltAsync().GetAwaiter().GetResult();

    private readonly struct Sender(SingleProducer<Number> producer) : ISender
    {
        private readonly SingleProducer<Number> _producer = producer;

        public void Send(long item) => _producer.Publish(Slot.Of<Number>(item));
    }
}
