using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Suites.PlansSuite;

/// <summary>The five stages as one definition: four types, three of them made at the sequences of the first.</summary>
internal static class ReadingPipeline
{
    public const int Capacity = 4096;

    public static PipelineBuilder<Reading, Folded> Define(ReadingWork work, ReadingSum sum, Arrived arrived, Dispatch dispatch) =>
        Pipeline.Of<Reading>(Capacity)
            .Stage("check", new Checker(work), dispatch)
            .Map("price", new Pricer(work), dispatch)
            .Map("score", new Scorer(work), dispatch)
            .Map("fold", new Folder(work), dispatch)
            .Stage("close", new Closer(work, sum, arrived), dispatch);

    private sealed class Checker(ReadingWork work) : IBatchHandler<Reading>
    {
        public void OnBatch(Batch<Reading> batch)
        {
            foreach (ref Reading item in batch) work.Check(ref item);
        }
    }

    private sealed class Pricer(ReadingWork work) : IMapHandler<Reading, Priced>
    {
        public void OnBatch(Batch<Reading> source, Batch<Priced> results)
        {
            for (int i = 0; i < source.Count; i++) work.Price(ref source[i], ref results[i]);
        }
    }

    private sealed class Scorer(ReadingWork work) : IMapHandler<Priced, Scored>
    {
        public void OnBatch(Batch<Priced> source, Batch<Scored> results)
        {
            for (int i = 0; i < source.Count; i++) work.Score(ref source[i], ref results[i]);
        }
    }

    private sealed class Folder(ReadingWork work) : IMapHandler<Scored, Folded>
    {
        public void OnBatch(Batch<Scored> source, Batch<Folded> results)
        {
            for (int i = 0; i < source.Count; i++) work.Fold(ref source[i], ref results[i]);
        }
    }

    private sealed class Closer(ReadingWork work, ReadingSum sum, Arrived arrived) : IBatchHandler<Folded>
    {
        public void OnBatch(Batch<Folded> batch)
        {
            foreach (ref Folded item in batch) sum.Take(item.Id, work.Close(ref item));
            arrived.Add(batch.Count);
        }
    }
}
