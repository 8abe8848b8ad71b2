open System
open System.IO.Pipelines
open System.Text
open System.Threading.Channels
open System.Threading.Tasks
open Raceway.Interop
open Raceway.Pipelines
open Raceway.Rings

/// What travels: a line of text becomes a number, and the number its square.
[<Struct>]
type Line =
    val mutable Number: int64
    val mutable Square: int64

/// Lines of text as they would come from a socket.
let write (target: PipeWriter) =
    task {
        for number in 1L .. 10_000L do
            let! _ = target.WriteAsync(ReadOnlyMemory(Encoding.ASCII.GetBytes(string number + "\n")))
            ()

        do! target.CompleteAsync()
    }

/// Reads to the end, item by item, and folds.
let sum (reader: ChannelReader<Line>) =
    task {
        let mutable total = 0L
        let mutable count = 0
        let mutable more = true

        while more do
            let! any = reader.WaitToReadAsync()
            more <- any
            let mutable line = Unchecked.defaultof<Line>

            while reader.TryRead(&line) do
                total <- total + line.Square
                count <- count + 1

        return struct (count, total)
    }

let run =
    task {
        let square = SlotAction<Line>(fun (line: byref<Line>) -> line.Square <- line.Number * line.Number)
        use pipeline = Pipeline.Of<Line>(1024).Stage("square", square).Poller("squared").Run()

        let socket = Pipe()
        let writing = write socket.Writer
        let parse = SlotWriter<Line, ReadOnlySpan<byte>>(fun (slot: byref<Line>) text -> slot.Number <- Int64.Parse(text))
        let pumping = socket.Reader.PumpInto(pipeline, Framing.Newline(), parse)

        let! struct (count, total) = sum (pipeline.GetPoller<Line>("squared").AsChannelReader())
        do! Task.WhenAll(writing, pumping)

        Console.WriteLine(String.Format("{0} lines, sum of squares {1}", count, total))
        Console.WriteLine(String.Format("as computed: {0}", (total = 10_000L * 10_001L * 20_001L / 6L)))
    }

run.GetAwaiter().GetResult()
