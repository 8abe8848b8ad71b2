using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Suites.PlansSuite;

/// <summary>Raceway's pipelines, as a user gets them without settings.</summary>
internal sealed class QuietPipelines(string name, QuietLoad load) : QuietContestant(name, load)
{
    private readonly Pipeline<long>[] _pipelines = new Pipeline<long>[load.Pipelines];
    private readonly SingleProducer<long>[] _producers = new SingleProducer<long>[load.Pipelines];

    /// <inheritdoc/>
    protected override void Start(int index)
    {
        _pipelines[index] = Pipeline.Of<long>(1024)
            .Stage("first", static (ref long item) => item++)
            .Stage("second", static (ref long item) => item++)
            .Stage("third", static (ref long item) => item++)
            .Stage("fourth", static (ref long item) => item++)
            .Stage("last", (ref long item) => Handled(index, ++item))
            .Run();
        _producers[index] = _pipelines[index].CreateProducer();
    }

    /// <inheritdoc/>
    protected override void Publish(int index, long item) => _producers[index].Publish(item);

    /// <inheritdoc/>
    protected override async Task StopAsync(int index)
    {
        _producers[index].Dispose();
        await _pipelines[index].DisposeAsync().ConfigureAwait(false);
    }
}
