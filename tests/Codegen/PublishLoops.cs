using System.Runtime.CompilerServices;
using Raceway.Rings;

namespace Raceway.Codegen;

/// <summary>Loops as a user writes them: what is inlined into them is part of the hot code.</summary>
/// <remarks>Not generic: a generic method of the user's over a class type would add lookups that are not the ring's.</remarks>
internal static class PublishLoops
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void OpenPublish(SingleProducer<long> handle, int count)
    {
        using OpenProducer<long> producer = handle.Open();
        for (long i = 0; i < count; i++) producer.Publish(i);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void OpenPublishItems(SingleProducer<Item> handle, Item item, int count)
    {
        using OpenProducer<Item> producer = handle.Open();
        for (int i = 0; i < count; i++) producer.Publish(item);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void OpenClaimCommit(SingleProducer<long> handle, int count)
    {
        using OpenProducer<long> producer = handle.Open();
        for (long i = 0; i < count; i++)
        {
            producer.Claim() = i;
            producer.Commit();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void OpenClaimCommitItems(SingleProducer<Item> handle, int count)
    {
        using OpenProducer<Item> producer = handle.Open();
        for (long i = 0; i < count; i++)
        {
            producer.Claim().Value = i;
            producer.Commit();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void SinglePublish(SingleProducer<long> producer, int count)
    {
        for (long i = 0; i < count; i++) producer.Publish(i);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void SinglePublishItems(SingleProducer<Item> producer, Item item, int count)
    {
        for (int i = 0; i < count; i++) producer.Publish(item);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void MultiPublish(MultiProducer<long> producer, int count)
    {
        for (long i = 0; i < count; i++) producer.Publish(i);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void MultiPublishItems(MultiProducer<Item> producer, Item item, int count)
    {
        for (int i = 0; i < count; i++) producer.Publish(item);
    }
}
