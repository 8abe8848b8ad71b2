namespace Raceway.Suites.FSharp

open System

/// An actor as F# programs write it: a MailboxProcessor with default settings and an async receive loop.
/// It ends with the first negative message.
[<Sealed>]
type ProcessorActor(handler: Action<int>) =
    let inbox =
        MailboxProcessor.Start(fun inbox ->
            let rec loop () =
                async {
                    let! message = inbox.Receive()

                    if message >= 0 then
                        handler.Invoke message
                        return! loop ()
                }

            loop ())

    /// Posts a message; never waits.
    member _.Post(message: int) = inbox.Post message
