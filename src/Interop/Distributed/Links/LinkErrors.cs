namespace Raceway.Interop.Distributed;

/// <summary>The texts of all errors: rule, value, remedy.</summary>
internal static class LinkErrors
{
    public static ArgumentException Name(string? name) =>
        new($"A link's name must be 1 to 200 letters, digits, '.', '-' or '_': name='{name}'. Choose one.", nameof(name));

    public static ArgumentOutOfRangeException Partitions(int partitions, int most) =>
        new(nameof(partitions), partitions, $"Partitions must be 1 to {most}: partitions={partitions}. Use a few for each worker.");

    public static ArgumentOutOfRangeException Generation(int generation) =>
        new(nameof(generation), generation, $"A generation must be 0 or more: generation={generation}. Count up from 0.");

    public static ArgumentOutOfRangeException Partition(int partition, int partitions) =>
        new(
            nameof(partition), partition,
            $"A partition must be 0 to {partitions - 1}: partition={partition}. Ask LinkAddress for their number.");

    public static ArgumentException Key(Type key) =>
        new(
            $"A link's key must hash the same in every process: key={key.Name}. "
            + "Use a string, Guid, int, uint, long or ulong of the item.",
            nameof(key));

    public static ArgumentOutOfRangeException FrameLength(int length, int max) =>
        new(
            nameof(length), length,
            $"A frame must be cut between 256 bytes and its maximum less room for an item: frameLength={length}, "
            + $"maxFrameLength={max}. Use at most half the maximum, which is at most {LinkOptions.LargestFrame}.");

    public static ArgumentOutOfRangeException Prefetch(int prefetch) =>
        new(nameof(prefetch), prefetch, $"Prefetch must be 1 to 1000 frames a partition: prefetch={prefetch}. Leave it at the default.");

    public static ArgumentOutOfRangeException HeldFrames(int held, int prefetch) =>
        new(
            nameof(held), held,
            $"Frames that wait behind a gap must be 0, or fewer than may be delivered: heldFrames={held}, prefetch={prefetch}. "
            + "Use 0 with RabbitMQ, else raise LinkOptions.Prefetch.");

    public static LinkTransportException Fenced(string link, LinkProducer producer) =>
        new(
            "A producer has one sender at a time: "
            + $"link='{link}', producer='{producer.Name}', epoch={producer.Epoch}, another sender of this or a newer epoch lives. "
            + "End that one, or give this one a LinkOptions.Producer of its own.");

    public static InvalidOperationException NotAFrame(FrameError error) =>
        new($"Only a frame has items to read: error={error}. Look at its Error first.");

    public static InvalidOperationException NoFencing(string link) =>
        new($"A source must be told to keep terms: link='{link}', fencing=false. Set LinkOptions.Fencing.");

    public static ArgumentException KeyLength(int number, int length, int least) =>
        new($"A key must have {least} random bytes or more: key={number}, bytes={length}. Use RandomNumberGenerator.GetBytes(32).", "keys");

    public static ArgumentException KeyMissing(int signWith, IEnumerable<int> known) =>
        new(
            $"The key to sign with must be one of the keys: signWith={signWith}, keys={string.Join(", ", known)}. Add it.",
            nameof(signWith));

    public static ArgumentException HeldWithoutPositions(int held) =>
        new(
            $"Frames can wait only where it is known what has to come: heldFrames={held}, positionOf=none. "
            + "Set LinkOptions.PositionOf, or use 0.",
            nameof(LinkOptions.PositionOf));

    public static InvalidOperationException ItemTooLong(long length, int max) =>
        new(
            $"An item must fit into half a frame: bytes={length}, maxFrameLength={max}. "
            + "Raise LinkOptions.MaxFrameLength on both sides, or send where the bytes are instead of the bytes.");

    public static InvalidOperationException FixedLength(int promised, int written) =>
        new(
            $"A codec of fixed length must write just that for every item: fixedLength={promised}, written={written}. "
            + "Return 0 from FixedLength where lengths differ.");

    public static ArgumentException NoParts(IEnumerable<string> known) =>
        new($"There must be a part to run: parts=none. Known: {string.Join(", ", known)}; null for all.", nameof(SplitOptions.Parts));

    public static ArgumentOutOfRangeException StandbyAfter(TimeSpan after) =>
        new(
            nameof(after), after,
            $"A worker stands by after 0 to 49 days: standbyAfter={after}. Use Timeout.InfiniteTimeSpan for never.");

    public static ArgumentException Parts(string part, IEnumerable<string> known) =>
        new($"A part to run must be one of the definition: part='{part}'. Known: {string.Join(", ", known)}.", nameof(part));

    public static ArgumentException DefinedTwice(string what, string name) =>
        new($"A {what}'s name must be unique in its definition: name='{name}'. Choose another.", nameof(name));

    public static InvalidOperationException LinkPlace(string name) =>
        new($"A link stands between two parts: link='{name}'. Call Part before it and after it.");

    public static InvalidOperationException NoTransport(IEnumerable<string> parts) =>
        new(
            $"Parts that run apart need something between them: parts={string.Join(", ", parts)}, transport=none. "
            + "Set SplitOptions.Transport, or run all parts.");

    public static InvalidOperationException NoProducer(string part) =>
        new($"Only the first part is published into: part='{part}' takes what its link brings. Publish where the first part runs.");

    public static InvalidOperationException Segments(string part, int rings) =>
        new(
            $"What a link brings is acknowledged in the segment that it comes into: part='{part}', rings={rings}. "
            + "End the part before an expansion or merge, or run it under another plan.");

    public static InvalidOperationException NotStarted(string link) =>
        new($"Partitions are taken and given up by a source that runs: link='{link}', started=no. Call StartAsync first.");

    public static ObjectDisposedException ReleaseEnded(string link) =>
        new(
            nameof(LinkSource<>),
            $"A link's partitions are given up while its pipeline runs: link='{link}'. What was not handled comes again, to "
            + "the worker that has them next.");

    public static ObjectDisposedException SenderDisposed(string link) =>
        new(
            nameof(LinkSender<>),
            $"A link's sender is disposed of when its pipeline has ended: link='{link}' has items that are not confirmed. "
            + "Drain the pipeline first.");

    public static ObjectDisposedException SourceDisposed(string link) =>
        new(nameof(LinkSource<>), $"A link's source that is disposed of takes nothing more: link='{link}'. Make another one.");

    public static InvalidOperationException NotLast(string stage) =>
        new(
            $"The stage that acknowledges must come after all others: stage='{stage}'. "
            + "End the part in one stage that follows its branches, or name them by After.");

    public static ArgumentOutOfRangeException Workers(int worker, int workers) =>
        new(nameof(worker), worker, $"A worker is numbered from 0 to their count less 1: worker={worker}, workers={workers}.");
}
