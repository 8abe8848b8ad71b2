using System.Globalization;
using Raceway.Interop.Distributed;
using Raceway.Interop.RabbitMq;
using Raceway.Interop.Tests.Distributed;
using RabbitMQ.Client;

namespace Raceway.Interop.Tests.RabbitMq;

/// <summary>
/// The longest of the long set: 10⁷ items over three nodes, with everything that may happen happening by turns, as a seed decides.
/// RACEWAY_RABBIT_ITEMS and RACEWAY_RABBIT_SEED choose another size and another run.
/// </summary>
[Trait("Category", "Broker")]
[Collection(Broker.Collection)]
public sealed class RabbitMqChaosTests(ITestOutputHelper output)
{
    private const int ItemsARound = 100_000;
    private const int GiantLength = 70 * 1024 * 1024;

    private readonly List<byte[]> _hostile = [];
    private readonly Dictionary<string, int> _done = [];

    [BrokerFact(nodes: 3, isLong: true)]
    public async Task Link_EverythingByTurns_LosesNothingAndTellsOfWhatIsParked()
    {
        int items = Number("RACEWAY_RABBIT_ITEMS", 10_000_000);
        int seed = Number("RACEWAY_RABBIT_SEED", Random.Shared.Next(1_000_000));
        int rounds = Math.Max(1, items / ItemsARound);
        Say($"seed {seed}, {items:N0} items, {rounds} rounds");
        var random = new Random(seed);
        await using var first = new Proxy(0);
        await using var second = new Proxy(1);
        await using var third = new Proxy(2);
        Proxy[] proxies = [first, second, third];
        await using var job = new RabbitJob(configure: options => options with
        {
            Nodes = [.. proxies.Select(static one => one.Node)], ConnectTimeout = TimeSpan.FromSeconds(5),
        });
        await job.StartSendingAsync();
        List<RabbitWorker> workers = [await job.StartWorkerAsync(), await job.StartWorkerAsync(), await job.StartWorkerAsync()];
        await job.FeedAsync(Math.Min(items, 1000));
        await Broker.KeptAsync(job.Link);
        for (int round = 0; round < rounds; round++)
        {
            Task feeding = job.FeedAsync((int)((long)items * (round + 1) / rounds));
            await TurnAsync(job, proxies, workers, random, round);
            await feeding;
            if (round % 10 == 9) Say($"round {round + 1}: {job.Sink.Writes:N0} written, {job.Told(LinkEventKind.Disconnected)} connections lost");
        }

        await Broker.Until(() => job.Sending.Backlog == 0 && job.Sink.Writes >= items, "all items", job.Describe);
        await job.FinishAsync(items);
        Assert.Equal(0, job.Sink.Repeated());
        await CheckParkedAsync(job);
        int lost = job.Told(LinkEventKind.Disconnected);
        Assert.True(lost >= 2 * rounds, $"{lost} connections lost");
        Say(
            $"seed {seed}: {items:N0} items handled once, in order; {lost} connections lost; "
            + $"{string.Join(", ", _done.Select(static one => $"{one.Value} {one.Key}"))}; {_hostile.Count} hostile frames parked, each told of; "
            + $"told {job.Told(LinkEventKind.Unreachable)} times of a broker out of reach; {job.Sender.Statistics}; fenced {job.Sink.Fenced}");
    }

    private async Task TurnAsync(RabbitJob job, Proxy[] proxies, List<RabbitWorker> workers, Random random, int round)
    {
        int node = random.Next(3);
        // By turns, from the second round on, so that a small run has them all.
        switch (round % 10)
        {
            case 1 or 6:
                Count("workers killed");
                RabbitWorker dying = workers[random.Next(workers.Count)];
                workers.Remove(dying);
                await dying.DieAsync();
                workers.Add(await job.StartWorkerAsync());
                break;
            case 2:
                Count("nodes killed");
                Broker.Run("kill", $"{node + 1}");
                await Task.Delay(random.Next(2000, 8000));
                Broker.Run("start", $"{node + 1}");
                break;
            case 3 when round % 20 == 3:
                Count("nodes paused");
                Broker.Run("pause", $"{node + 1}");
                await Task.Delay(random.Next(20_000, 60_000));
                Broker.Run("resume", $"{node + 1}");
                break;
            case 4:
                Count("giant messages");
                await PublishAsync(job, random, GiantLength + random.Next(1000));
                break;
            case 5 or 8:
                Count("forged rounds");
                for (int i = 0; i < 10; i++) await PublishAsync(job, random, random.Next(3000));
                break;
        }

        // Each time every connection, and each is made again before the next turn.
        int sessions = job.Told(LinkEventKind.Connected);
        foreach (Proxy one in proxies) one.Cut();
        foreach (Proxy one in proxies) one.Mend();
        int reached = job.Sink.Writes;
        await Broker.Until(
            () => job.Told(LinkEventKind.Connected) >= sessions + 3 && (job.Sink.Writes > reached || job.Sending.Backlog == 0),
            "connections made again", job.Describe);
    }

    // By whatever node takes it, until it is confirmed: so one may be there twice.
    private async Task PublishAsync(RabbitJob job, Random random, int length)
    {
        var body = new byte[length];
        random.NextBytes(body.AsSpan(0, Math.Min(length, 4096)));
        _hostile.Add(body);
        string queue = job.Link.QueueOf(random.Next(job.Link.Partitions));
        for (int attempt = 0; ; attempt++)
        {
            string[] node = BrokerFactAttribute.Nodes[attempt % 3].Split(':');
            try
            {
                var factory = new ConnectionFactory { HostName = node[0], Port = int.Parse(node[1], null) };
                await using IConnection connection = await factory.CreateConnectionAsync();
                await using IChannel channel = await connection.CreateChannelAsync(new CreateChannelOptions(true, true));
                await channel.BasicPublishAsync("", queue, body);
                return;
            }
            catch (Exception) when (attempt < 600)
            {
                await Task.Delay(100);
            }
        }
    }

    private async Task CheckParkedAsync(RabbitJob job)
    {
        RabbitMqTransport transport = job.Connect(listener: static _ => { });
        // A giant message is read one at a time: all of them at once are more than one process needs to hold.
        HashSet<string> parked = [];
        HashSet<string> hostile = [.. _hostile.Select(NameOf)];
        int told = 0;
        for (int looks = 0; looks < 600 && !parked.IsSupersetOf(hostile); looks++)
        {
            told += await transport.DropParkedAsync(job.Link, one => parked.Add(NameOf(one.Body.Span)) || true);
            if (!parked.IsSupersetOf(hostile)) await Task.Delay(100);
        }

        Assert.True(hostile.SetEquals(parked), $"{parked.Count} of {hostile.Count} hostile frames parked");
        lock (job.Events)
        {
            int events = job.Events.Count(
                static one => one.Kind == LinkEventKind.Parked && one.Detail.Contains("; partition ", StringComparison.Ordinal));
            Assert.True(events >= told, $"{told} parked, {events} told of");
        }
    }

    private static string NameOf(byte[] body) => NameOf((ReadOnlySpan<byte>)body);

    private static string NameOf(ReadOnlySpan<byte> body) => $"{body.Length}:{Convert.ToHexString(body[..Math.Min(body.Length, 64)])}";

    private static int Number(string name, int otherwise) =>
        Environment.GetEnvironmentVariable(name) is { } text ? int.Parse(text, CultureInfo.InvariantCulture) : otherwise;

    private void Count(string what) => _done[what] = _done.GetValueOrDefault(what) + 1;

    // At once too: a run that hangs has its seed said.
    private void Say(string text)
    {
        output.WriteLine(text);
        Console.WriteLine(text);
    }
}
