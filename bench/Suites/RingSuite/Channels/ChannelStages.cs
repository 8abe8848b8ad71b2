using System.Threading.Channels;

namespace Raceway.Suites.RingSuite;

/// <summary>Stages that read from a channel: drained with <c>TryRead</c> and awaited when empty.</summary>
internal static class ChannelStages
{
    /// <summary>A last stage.</summary>
    public static async Task<TWork> ConsumeAsync<TSlot, TWork>(ChannelReader<TSlot> reader, TWork work)
        where TSlot : struct, ISlot<TSlot>
        where TWork : struct, IStageWork<TSlot>
    {
        while (await reader.WaitToReadAsync()) work = Drain(reader, work);
        return work;
    }

    /// <summary>A stage that another one follows.</summary>
    public static async Task<TWork> PassOnAsync<TSlot, TWork>(
        ChannelReader<TSlot> reader, ChannelWriter<TSlot> writer, TWork work)
        where TSlot : struct, ISlot<TSlot>
        where TWork : struct, IStageWork<TSlot>
    {
        while (await reader.WaitToReadAsync())
        {
            while (reader.TryRead(out TSlot item))
            {
                work.Take(ref item);
                while (!writer.TryWrite(item)) await writer.WaitToWriteAsync();
            }
        }

        writer.Complete();
        return work;
    }

    // The loop is not part of the state machine: its state stays in registers.
    private static TWork Drain<TSlot, TWork>(ChannelReader<TSlot> reader, TWork work)
        where TSlot : struct, ISlot<TSlot>
        where TWork : struct, IStageWork<TSlot>
    {
        while (reader.TryRead(out TSlot item)) work.Take(ref item);
        return work;
    }
}
