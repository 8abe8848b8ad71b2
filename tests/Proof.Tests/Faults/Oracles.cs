namespace Raceway.Proof.Tests.Faults;

/// <summary>What holds in every cell, whatever has gone wrong.</summary>
internal static class Oracles
{
    public static void Check(World world)
    {
        RingBuffer<Parcel> ring = world.Ring;
        Assert.True(ring.Completion.IsCompleted, "Completion");
        Assert.Equal(ring.State == RingState.Faulted, ring.Completion.IsFaulted);
        foreach (Station station in world.Stations) CheckStation(world, station);
        CheckLeftOver(world);
        CheckBuffers(world);
    }

    private static void CheckStation(World world, Station station)
    {
        string name = $"{world.Cell}: {station.Name}";
        foreach (Thread thread in station.Threads)
            Assert.True(thread.Join(TimeSpan.FromMinutes(1)), $"{name}'s thread has not ended.");
        // Exactly once, in each handle's order, and nothing that nobody has published.
        Assert.True(station.Items.Count == station.Items.Distinct().Count(), $"{name} has handled an item twice.");
        Assert.True(station.Items.TrueForAll(world.Published.Contains), $"{name} has handled what was not published.");
        foreach (IGrouping<long, long> own in station.Items.GroupBy(World.HandleOf))
            Assert.True(own.SequenceEqual(own.Order()), $"{name} has handled items out of order: {string.Join(' ', own)}");

        // Of every sequence that it has passed it can say why.
        StageStatistics seen = station.Stage.GetStatistics();
        Assert.Equal(station.Items.Count, seen.Items);
        Assert.True(
            seen.Items + seen.Skipped + seen.Tombstones == station.Stage.Position + 1,
            $"{name} is at {station.Stage.Position}: {seen.Items} items, {seen.Skipped} skipped, {seen.Tombstones} tombstones");
        Assert.InRange(seen.DeadLettered, 0, seen.Skipped);
        Assert.True(station.Stops <= station.Starts, $"{name} was stopped without a start");
        if (!world.Setting.Abandons) Assert.Equal(station.Starts, station.Stops);
    }

    // Published = handled + skipped + unprocessed, for every stage that is one of the last.
    private static void CheckLeftOver(World world)
    {
        RingBuffer<Parcel> ring = world.Ring;
        if (world.Setting.Abandons) return;
        if (world.Setting.WhenOffered is null) Assert.Equal(ring.Unprocessed, world.Offered.Count);
        Assert.Equal(world.Offered.Count, world.Offered.Distinct().Count());
        // Of a group of several producers that a halt has met in the middle of its commit, a part counts: see S4.
        Assert.All(
            world.Offered,
            id => Assert.True(world.Published.Contains(id) || (world.Cell.Kind == ProducerKind.Multi && world.WasCommitting(id))));
        Station[] last = [.. world.Stations.Where(station =>
            ring.Stages.Contains(station.Stage) && !ring.Stages.Any(other => other.Upstream.Contains(station.Stage)))];
        foreach (Station station in last)
        {
            long skipped = 0;
            foreach (long id in world.Published)
            {
                if (station.Items.Contains(id)) continue;
                if (station.Thrown.Contains(id) && !world.Offered.Contains(id)) skipped++;
                else if (world.Setting.WhenOffered is null)
                    Assert.True(world.Offered.Contains(id), $"{world.Cell}: {station.Name} has lost item {id}.");
            }

            if (last.Length == 1 && world.Setting.WhenOffered is null) Assert.Equal(skipped, station.Stage.GetStatistics().Skipped);
        }

        // What all of them have passed is not left over, but for a stage that the end has met while it left.
        if (last.Length > 0 && !world.Stations.Exists(station => station.Stage.IsLeaving && station.Stage.Fault is null))
            Assert.DoesNotContain(world.Offered, id => last.All(station => station.Items.Contains(id)));
    }

    private static void CheckBuffers(World world)
    {
        PoisonPool pool = world.Pool.Inner;
        Assert.Equal(0, pool.Misuses);
        Assert.True(pool.QuarantineIsIntact(), $"{world.Cell}: a buffer was written to after its return.");
        if (!world.Setting.Abandons && !world.Setting.LosesClaim)
            Assert.True(pool.Outstanding == 0, $"{world.Cell}: {pool.Outstanding} buffers were not returned.");
    }
}
