namespace Raceway.Suites.RingSuite;

/// <summary>The least that can be done: a thread a stage, each asleep on a semaphore that the one before it releases.</summary>
internal sealed class SemaphoreTrickleContestant(RingShape shape, TimeSpan gap, int messages)
    : TrickleContestant("semaphores", shape, gap, messages)
{
    protected override void Prepare(RingLoad load, RoundThreads roundThreads)
    {
        var slots = new long[Shape.Capacity];
        SemaphoreSlim[] links = [.. Enumerable.Range(0, Shape.Stages).Select(static _ => new SemaphoreSlim(0))];
        int published = 0;
        roundThreads.Add(() => Publish(load, item =>
        {
            slots[published++] = item;
            links[0].Release();
        }));
        for (int i = 0; i < Shape.Stages; i++)
        {
            int stage = i;
            roundThreads.Add(() =>
            {
                Check check = load.NewCheck();
                for (int at = 0; at < load.Operations; at++)
                {
                    links[stage].Wait(roundThreads.Cancellation);
                    Body.Work(ref slots[at], Shape.Increments);
                    if (stage + 1 < links.Length) links[stage + 1].Release();
                    else check.Take(slots[at]);
                }

                if (stage + 1 == links.Length) load.Report(check);
            });
        }
    }
}
