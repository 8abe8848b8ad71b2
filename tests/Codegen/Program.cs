using System.Runtime;
using Raceway.Codegen;
using Raceway.Rings;

if (args is ["digest"])
{
    Digest.Print();
    return;
}

// Runs the ring's hot code until the compiler has nothing more to improve; the environment tells it to write a listing.
// A loop of many turns must not be compiled anew while it runs (the environment sees to it), beside what the runtime
// compiles in the background: the two listings would be written through each other.
const int Capacity = 512;
const int Items = 128;
// Rounds in which nothing was compiled any more; the compiler's thread may have to wait for a busy machine.
const int QuietRounds = 12;
const int MostRounds = 400;

// A stage calls the same code whatever the policy, so each policy is met often enough to be compiled for.
Dispatch[] policies = [Dispatch.Batch(Items), Dispatch.Single, Dispatch.Each(Items, progressInterval: 32)];
var item = new Item();

var longs = new RingBuffer<long>(Capacity);
// Items are stored into slots that own no object, and objects filled where each slot has one.
var items = new RingBuffer<Item>(Capacity, new RingOptions<Item> { ClearSlots = false });
var filledItems = new RingBuffer<Item>(Capacity, new RingOptions<Item> { CreateSlot = static () => new Item() });
var multiLongs = new RingBuffer<long>(Capacity, new RingOptions<long> { Producers = ProducerKind.Multi });
var multiItems = new RingBuffer<Item>(
    Capacity, new RingOptions<Item> { Producers = ProducerKind.Multi, ClearSlots = false });
var shardedLongs = new RingBuffer<long>(
    2 * Capacity, new RingOptions<long> { Producers = ProducerKind.Sharded, MaxProducers = 2 });
var shardedItems = new RingBuffer<Item>(2 * Capacity, new RingOptions<Item>
{
    Producers = ProducerKind.Sharded, MaxProducers = 2, ClearSlots = false,
});
// Room for stamps in the slots.
RingOptions<long> inSlot = new() { Stamps = StampLayout.InSlot, SlotStride = 64 };
var stampedLongs = new RingBuffer<long>(Capacity, inSlot);
var multiStampedLongs = new RingBuffer<long>(Capacity, inSlot with { Producers = ProducerKind.Multi });
Stage[] stages =
[
    .. StagesOfLongs(longs.Slots), .. StagesOfItems(items.Slots), .. StagesOfItems(filledItems.Slots),
    .. StagesOfLongs(multiLongs.Slots), .. StagesOfItems(multiItems.Slots),
    .. StagesOfLongs(shardedLongs.Slots), .. StagesOfItems(shardedItems.Slots),
    .. StagesOfLongs(stampedLongs.Slots), .. StagesOfLongs(multiStampedLongs.Slots),
];

// One stage with a thread of its own, for what only a thread does: wait.
var driven = new RingBuffer<long>(Capacity, new RingOptions<long> { Wait = Wait.Adaptive() });
driven.Slots.SubscribeEvents(default(EventSum));
driven.Start();

SingleProducer<long> single = longs.CreateProducer();
SingleProducer<Item> singleOfItems = items.CreateProducer();
SingleProducer<Item> singleOfFilled = filledItems.CreateProducer();
MultiProducer<long> multi = multiLongs.CreateMultiProducer();
MultiProducer<Item> multiOfItems = multiItems.CreateMultiProducer();
SingleProducer<long>[] lanes = [shardedLongs.CreateProducer(), shardedLongs.CreateProducer()];
SingleProducer<Item>[] lanesOfItems = [shardedItems.CreateProducer(), shardedItems.CreateProducer()];
SingleProducer<long> stamped = stampedLongs.CreateProducer();
MultiProducer<long> multiStamped = multiStampedLongs.CreateMultiProducer();
SingleProducer<long> drivenProducer = driven.CreateProducer();

int quiet = 0;
for (int round = 0; round < MostRounds && quiet < QuietRounds; round++)
{
    long compiled = JitInfo.GetCompiledMethodCount();
    Dispatch policy = policies[round % policies.Length];
    foreach (Stage stage in stages) stage.Dispatch = policy;
    for (int i = 0; i < 16; i++)
    {
        PublishLoops.OpenPublish(single, Items);
        PublishLoops.OpenClaimCommit(single, Items);
        PublishLoops.SinglePublish(single, Items);
        PublishLoops.OpenPublishItems(singleOfItems, item, Items);
        PublishLoops.OpenClaimCommitItems(singleOfFilled, Items);
        PublishLoops.SinglePublishItems(singleOfItems, item, Items);
        PublishLoops.MultiPublish(multi, Items);
        PublishLoops.MultiPublishItems(multiOfItems, item, Items);
        PublishLoops.SinglePublish(stamped, Items / 2);
        PublishLoops.OpenPublish(stamped, Items / 2);
        PublishLoops.MultiPublish(multiStamped, Items);
        foreach (SingleProducer<long> lane in lanes)
        {
            PublishLoops.SinglePublish(lane, Items / 2);
            PublishLoops.OpenPublish(lane, Items / 2);
        }

        foreach (SingleProducer<Item> lane in lanesOfItems) PublishLoops.SinglePublishItems(lane, item, Items);
        PublishLoops.SinglePublish(drivenProducer, Items);
        BadCode.Run(item);
        foreach (Stage stage in stages)
        {
            while (stage.Step().Kind == StepKind.Progressed)
            {
            }
        }
    }

    // What is to be compiled better is compiled by a thread of the runtime's: it needs time, not work.
    Thread.Sleep(25);
    quiet = JitInfo.GetCompiledMethodCount() == compiled ? quiet + 1 : 0;
}

await driven.DrainAsync(Timeout.InfiniteTimeSpan);
Console.WriteLine(stages.Sum(stage => stage.GetStatistics().Items));

// The listing is closed with the process: nothing may be compiled, and written into it, at that time.
for (long before = -1; before != JitInfo.GetCompiledMethodCount();)
{
    before = JitInfo.GetCompiledMethodCount();
    Thread.Sleep(100);
}

static Stage[] StagesOfLongs(Slots<long> slots) =>
[
    slots.SubscribeEvents(default(EventSum), ByCaller()),
    slots.SubscribeBatches(default(BatchSum), ByCaller()),
    slots.Subscribe(static (ref long slot) => slot++, ByCaller()),
    slots.Subscribe((IEventHandler<long>)new EventSumClass(), ByCaller()),
    slots.Subscribe(new BatchSumClass(), ByCaller()),
];

static Stage[] StagesOfItems(Slots<Item> slots) =>
[
    slots.SubscribeEvents(default(EventTouch), ByCaller()),
    slots.SubscribeBatches(default(BatchTouch), ByCaller()),
    slots.Subscribe(static (ref Item slot) => slot.Value++, ByCaller()),
    slots.Subscribe((IEventHandler<Item>)new EventTouchClass(), ByCaller()),
    slots.Subscribe(new BatchTouchClass(), ByCaller()),
];

static StageOptions ByCaller() => new() { Drive = Drive.Caller };
