using System.Buffers;
using System.Threading.Channels;
using Raceway.Concurrency;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Suites.MailboxSuite.Actors;

/// <summary>A message with its bytes in an array. The reader gives the array back where it was rented.</summary>
internal readonly record struct CarriedMessage(int Message, byte[] Bytes)
{
    public static CarriedMessage Rented(int message, int length)
    {
        byte[] bytes = ArrayPool<byte>.Shared.Rent(length);
        bytes.AsSpan(0, length).Fill((byte)message);
        return new CarriedMessage(message, bytes);
    }

    public static CarriedMessage New(int message, int length)
    {
        byte[] bytes = new byte[length];
        bytes.AsSpan().Fill((byte)message);
        return new CarriedMessage(message, bytes);
    }

    public void TakeAndReturn(Actor actor)
    {
        actor.Take(Message, Bytes.AsSpan(0, actor.Carries));
        ArrayPool<byte>.Shared.Return(Bytes);
    }
}

/// <summary>Our mailbox with its default options; the bytes are in rented arrays, or in new ones.</summary>
internal readonly struct RacewayCarriedBoxes<TMaker> : IBoxes<(Mailbox<CarriedMessage> Mailbox, int Length)>
    where TMaker : struct, ICarriedMaker
{
    public static (Mailbox<CarriedMessage> Mailbox, int Length) Start(Actor actor, int? bound) =>
        (Mailbox.Start<CarriedMessage>(message => TMaker.Take(in message, actor), new() { Bound = bound }), actor.Carries);

    public static void Post((Mailbox<CarriedMessage> Mailbox, int Length) box, int message) =>
        box.Mailbox.Post(TMaker.Make(message, box.Length));

    public static ValueTask PostAsync((Mailbox<CarriedMessage> Mailbox, int Length) box, int message) =>
        box.Mailbox.PostAsync(TMaker.Make(message, box.Length));

    public static void End((Mailbox<CarriedMessage> Mailbox, int Length) box)
    {
        box.Mailbox.Complete();
        box.Mailbox.Completion.Wait();
    }
}

/// <summary>A channel; the bytes are in rented arrays, or in new ones.</summary>
internal readonly struct ChannelCarriedBoxes<TMaker> : IBoxes<ChannelCarriedBoxes<TMaker>.Box>
    where TMaker : struct, ICarriedMaker
{
    public static Box Start(Actor actor, int? bound)
    {
        Channel<CarriedMessage> channel =
            bound is { } most ? Channel.CreateBounded<CarriedMessage>(most) : Channel.CreateUnbounded<CarriedMessage>();
        return new Box(channel, actor.Carries, Task.Run(() => ReadAsync(channel.Reader, actor)));
    }

    public static void Post(Box box, int message) => PostAsync(box, message).AsTask().Wait();

    public static ValueTask PostAsync(Box box, int message) => box.Channel.Writer.WriteAsync(TMaker.Make(message, box.Length));

    public static void End(Box box)
    {
        box.Channel.Writer.Complete();
        box.Reader.Wait();
    }

    private static async Task ReadAsync(ChannelReader<CarriedMessage> reader, Actor actor)
    {
        while (await reader.WaitToReadAsync().ConfigureAwait(false))
        {
            while (reader.TryRead(out CarriedMessage message)) TMaker.Take(message, actor);
        }
    }

    internal sealed record Box(Channel<CarriedMessage> Channel, int Length, Task Reader);
}

/// <summary>Where the bytes of a message come from and go to.</summary>
internal interface ICarriedMaker
{
    static abstract CarriedMessage Make(int message, int length);

    static abstract void Take(in CarriedMessage message, Actor actor);
}

internal readonly struct RentedMaker : ICarriedMaker
{
    public static CarriedMessage Make(int message, int length) => CarriedMessage.Rented(message, length);

    public static void Take(in CarriedMessage message, Actor actor) => message.TakeAndReturn(actor);
}

internal readonly struct NewMaker : ICarriedMaker
{
    public static CarriedMessage Make(int message, int length) => CarriedMessage.New(message, length);

    public static void Take(in CarriedMessage message, Actor actor) => actor.Take(message.Message, message.Bytes);
}

/// <summary>A pipeline of one pooled stage for each actor: the bytes are written into the buffer that the slot owns.</summary>
internal readonly struct SlotBoxes : IBoxes<SlotBoxes.Box>
{
    public static Box Start(Actor actor, int? bound)
    {
        Pipeline<Slot> pipeline = Pipeline.Of<Slot>(bound ?? 1024)
            .Configure(static options => options with { Payload = static (ref Slot slot) => ref slot.Bytes })
            .Stage("actor", (ref Slot slot) => actor.Take(slot.Message, slot.Bytes.Span))
            .Run(Plan.Pooled);
        SingleProducer<Slot> producer = pipeline.CreateProducer();
        // A claim that is given up publishes nothing, but leaves each slot the buffer that it was written to.
        using Claim<Slot> claim = producer.Claim(producer.MaxClaim);
        foreach (ref Slot slot in claim) Slot.Write(ref slot, (0, actor.Carries));
        claim.Abort();
        return new Box(pipeline, producer, actor.Carries);
    }

    public static void Post(Box box, int message) => box.Producer.Publish((message, box.Length), Slot.Write);

    public static ValueTask PostAsync(Box box, int message) => box.Producer.PublishAsync((message, box.Length), Slot.Write);

    public static void End(Box box)
    {
        box.Producer.Dispose();
        box.Pipeline.DrainAsync(Timeout.InfiniteTimeSpan).Wait();
        box.Pipeline.DisposeAsync().AsTask().Wait();
    }

    internal sealed record Box(Pipeline<Slot> Pipeline, SingleProducer<Slot> Producer, int Length);

    internal struct Slot
    {
        public Payload Bytes;
        public int Message;

        // Kept: a method group is a delegate made anew where it is not cached.
        public static readonly SlotWriter<Slot, (int Message, int Length)> Write = Fill;

        private static void Fill(ref Slot slot, (int Message, int Length) state)
        {
            slot.Message = state.Message;
            slot.Bytes.Reserve(state.Length).Fill((byte)state.Message);
        }
    }
}
